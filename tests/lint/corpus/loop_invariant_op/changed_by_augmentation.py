import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    rate = 1.0
    for batch in batches:
        use(batch, tf.constant(rate))
        rate *= 0.9
