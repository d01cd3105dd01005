import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    for batch in batches:
        for row in batch.rows:
            use(row, tf.reduce_sum(batch.weights))  # expect: loop-invariant-op
