import tensorflow as tf
from data import SHAPE, WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        with tf.GradientTape() as tape:
            loss = use(batch, tf.square(WEIGHTS))
        use(tape, loss, tf.zeros(SHAPE))  # expect: loop-invariant-op
