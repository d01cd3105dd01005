import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    def weights():
        return tf.constant(WEIGHTS)  # expect: loop-invariant-op

    for batch in batches:
        use(batch, weights())
