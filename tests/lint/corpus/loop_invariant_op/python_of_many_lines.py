import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(
            batch,
            tf.constant(  # expect: loop-invariant-op
                WEIGHTS,
                dtype=tf.float32,
            ),
        )
