import tensorflow as tf
from data import WEIGHTS, use


def first():
    return tf.constant(WEIGHTS)  # expect: loop-invariant-op


def second():
    return first()


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, second())
