import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train():
    for axis in "xyz":
        use(axis, tf.constant(WEIGHTS))
