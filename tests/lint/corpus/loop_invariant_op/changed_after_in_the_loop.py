import tensorflow as tf
from data import better, use


@tf.function
def train(batches: list, weights):
    for batch in batches:
        use(batch, tf.norm(weights))
        weights = better(weights)
