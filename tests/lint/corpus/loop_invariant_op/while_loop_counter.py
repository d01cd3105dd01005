import tensorflow as tf
from data import use


@tf.function
def train(count):
    step = 0
    while step < count:
        use(tf.constant(step))
        step += 1
