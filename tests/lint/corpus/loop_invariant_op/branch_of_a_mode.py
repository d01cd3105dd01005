import tensorflow as tf
from data import use


@tf.function
def train(batches: list, mode):
    for batch in batches:
        if mode == "noisy":
            use(batch, tf.ones([3]))  # expect: loop-invariant-op
