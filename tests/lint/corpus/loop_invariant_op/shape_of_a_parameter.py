import tensorflow as tf
from data import use


@tf.function
def train(batches: list, size):
    for batch in batches:
        use(batch, tf.zeros([size, 10]))  # expect: loop-invariant-op
