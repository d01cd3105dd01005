import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(names):
    return {use(name, tf.norm(WEIGHTS)) for name in names}  # expect: loop-invariant-op
