import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        weights = tf.constant(WEIGHTS)  # expect: loop-invariant-op
        for row in batch:
            use(row, weights)
