import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    total = 0
    for batch in batches:
        total += batch
        use(total, tf.constant(WEIGHTS))  # expect: loop-invariant-op
