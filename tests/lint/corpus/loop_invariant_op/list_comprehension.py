import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    return [use(batch, tf.constant(WEIGHTS)) for batch in batches]  # expect: loop-invariant-op
