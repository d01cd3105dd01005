import tensorflow as tf
from data import ROWS, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, tf.random.shuffle(ROWS))
