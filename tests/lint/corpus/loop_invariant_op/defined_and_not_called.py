import tensorflow as tf
from data import WEIGHTS


@tf.function
def train(batches: list):
    makers = []
    for _ in batches:
        makers.append(lambda: tf.constant(WEIGHTS))
    return makers
