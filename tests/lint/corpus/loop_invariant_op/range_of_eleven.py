import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batch):
    for number in range(11):
        use(number, batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
