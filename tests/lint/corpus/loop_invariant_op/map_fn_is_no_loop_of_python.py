import tensorflow as tf
from data import WEIGHTS


@tf.function
def train(rows):
    return tf.map_fn(lambda row: row + tf.constant(WEIGHTS), rows)
