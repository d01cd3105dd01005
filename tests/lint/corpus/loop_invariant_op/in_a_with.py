import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        with tf.name_scope("weights"):
            use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
