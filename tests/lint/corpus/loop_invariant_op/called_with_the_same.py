import tensorflow as tf
from data import use


def total(values):
    return tf.reduce_sum(values)  # expect: loop-invariant-op


@tf.function
def train(batches: list, weights):
    for batch in batches:
        use(batch, total(weights))
