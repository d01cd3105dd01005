import tensorflow as tf
from data import parse


def source():
    return tf.data.Dataset.range(100).map(parse, num_parallel_calls=4)  # expect: map-before-batch note


ds = source().batch(32)
