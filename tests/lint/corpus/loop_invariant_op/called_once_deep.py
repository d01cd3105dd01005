import tensorflow as tf
from data import WEIGHTS, use


def weights():
    return tf.constant(WEIGHTS)  # expect: loop-invariant-op


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, weights())
