import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for number, batch in enumerate(batches):
        if number == 0:
            weights = tf.constant(WEIGHTS)
        use(batch, weights)
