import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(tf.reduce_sum(batch), tf.norm(WEIGHTS))  # expect: loop-invariant-op
