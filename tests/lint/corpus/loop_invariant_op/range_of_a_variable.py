import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(count):
    for number in range(count):
        use(number, tf.constant(WEIGHTS))  # expect: loop-invariant-op
