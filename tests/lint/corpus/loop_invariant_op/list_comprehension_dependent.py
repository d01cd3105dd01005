import tensorflow as tf


@tf.function
def train(batches):
    return [tf.reduce_sum(batch) for batch in batches]
