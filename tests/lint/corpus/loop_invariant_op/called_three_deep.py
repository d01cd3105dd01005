import tensorflow as tf
from data import WEIGHTS, use


def first():
    return tf.constant(WEIGHTS)  # expect: loop-invariant-op


def second():
    return first()


def third():
    return second()


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, third())
