import tensorflow as tf
from data import WEIGHTS, use


def penalty():
    return tf.square(WEIGHTS)


@tf.function
def train(batches: list):
    for batch in batches:
        with tf.GradientTape() as tape:
            loss = use(batch) + penalty()
        use(tape.gradient(loss, WEIGHTS))
