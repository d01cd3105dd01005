import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, tf.constant(WEIGHTS, dtype=tf.float32, name="weights"))  # expect: loop-invariant-op
