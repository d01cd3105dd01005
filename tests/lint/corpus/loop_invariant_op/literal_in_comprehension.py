import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train():
    return [use(name, tf.constant(WEIGHTS)) for name in ("a", "b")]
