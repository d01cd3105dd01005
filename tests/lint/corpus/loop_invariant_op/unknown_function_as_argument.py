import tensorflow as tf
from data import measured, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, tf.constant(measured()))
