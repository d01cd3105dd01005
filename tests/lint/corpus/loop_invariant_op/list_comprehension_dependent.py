import tensorflow as tf


@tf.function
def train(batches: list):
    return [tf.reduce_sum(batch) for batch in batches]
