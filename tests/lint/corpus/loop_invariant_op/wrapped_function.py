import tensorflow as tf
from data import WEIGHTS, use


def train(batches: list):
    for batch in batches:
        use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op


train = tf.function(train)
