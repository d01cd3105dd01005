import tensorflow as tf
from data import use

rate = 1.0


def slow_down():
    global rate
    rate *= 0.9


@tf.function
def train(batches: list):
    for batch in batches:
        slow_down()
        use(batch, tf.constant(rate))
