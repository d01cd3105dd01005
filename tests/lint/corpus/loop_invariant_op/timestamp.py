import tensorflow as tf
from data import use


@tf.function
def train(batches):
    for batch in batches:
        use(batch, tf.timestamp())
