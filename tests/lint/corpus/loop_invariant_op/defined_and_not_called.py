import tensorflow as tf
from data import WEIGHTS


@tf.function
def train(batches):
    makers = []
    for _ in batches:
        makers.append(lambda: tf.constant(WEIGHTS))
    return makers
