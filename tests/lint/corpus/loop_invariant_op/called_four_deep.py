import tensorflow as tf
from data import WEIGHTS, use


def first():
    return tf.constant(WEIGHTS)


def second():
    return first()


def third():
    return second()


def fourth():
    return third()


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, fourth())
