import tensorflow as tf
from data import WEIGHTS, following, is_over, use


@tf.function
def train():
    while True:
        batch = following()
        if is_over(batch):
            break
        use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
