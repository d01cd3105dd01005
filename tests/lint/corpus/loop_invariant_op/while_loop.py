import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(count: int):
    step = 0
    while step < count:
        use(step, tf.constant(WEIGHTS))  # expect: loop-invariant-op
        step += 1
