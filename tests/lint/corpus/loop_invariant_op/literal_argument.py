import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, tf.constant([1.0, 2.0]))  # expect: loop-invariant-op
