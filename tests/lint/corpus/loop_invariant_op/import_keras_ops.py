import tensorflow as tf
from data import WEIGHTS, use
from keras import ops


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, ops.sum(WEIGHTS))  # expect: loop-invariant-op
