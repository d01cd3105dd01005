import tensorflow as tf
from data import WEIGHTS, other, use


def train(batches):
    tf = other
    for batch in batches:
        use(batch, tf.constant(WEIGHTS))
