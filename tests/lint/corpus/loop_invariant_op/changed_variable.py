import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    total = 0
    for batch in batches:
        total = total + batch
        use(tf.sqrt(total))
