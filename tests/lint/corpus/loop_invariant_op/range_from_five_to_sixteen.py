import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train():
    for number in range(5, 16):
        use(number, tf.constant(WEIGHTS))  # expect: loop-invariant-op
