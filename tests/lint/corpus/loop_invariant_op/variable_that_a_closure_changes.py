import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    rate = 1.0

    def slow_down():
        nonlocal rate
        rate *= 0.9

    for batch in batches:
        slow_down()
        use(batch, tf.constant(rate))
