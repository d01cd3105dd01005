import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    for batch in batches:
        for row in batch.rows:
            use(tf.add(row, batch.bias))
