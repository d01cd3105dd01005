import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        try:
            use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
        except ValueError:
            continue
