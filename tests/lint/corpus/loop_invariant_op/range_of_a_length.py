import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for number in range(len(batches)):
        use(batches[number], tf.constant(WEIGHTS))  # expect: loop-invariant-op
