import tensorflow as tf
from data import use


@tf.function
def train(batch):
    for row in tf.unstack(batch):
        use(row)
