import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(x, limit: int):
    step = tf.constant(0)
    while tf.less(step, limit):
        use(x, tf.constant(WEIGHTS))
        step += 1
    while step < limit:
        use(x, tf.constant(WEIGHTS))
        step += 1
    count = 0
    while count < limit:
        use(x, tf.constant(WEIGHTS))  # expect: loop-invariant-op
        count += 1
