import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        value = tf.constant(WEIGHTS)  # expect: loop-invariant-op
        value = tf.add(value, batch)
        use(value)
