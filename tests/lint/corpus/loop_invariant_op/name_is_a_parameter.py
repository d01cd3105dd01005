import tensorflow as tf
from data import WEIGHTS, use


def train(batches, tf):
    for batch in batches:
        use(batch, tf.constant(WEIGHTS))
