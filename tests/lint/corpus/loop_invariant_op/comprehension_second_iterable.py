import tensorflow as tf
from data import use


@tf.function
def train(batches: list, rows):
    return [use(batch, row) for batch in batches for row in tf.unstack(rows)]  # expect: loop-invariant-op
