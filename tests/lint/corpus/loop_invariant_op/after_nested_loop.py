import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        for row in batch:
            use(row)
        use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
