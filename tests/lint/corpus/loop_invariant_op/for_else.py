import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch)
    else:
        use(tf.constant(WEIGHTS))
