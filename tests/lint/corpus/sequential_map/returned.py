import tensorflow as tf
from data import parse


def source():
    return tf.data.Dataset.range(9)


ds = source().map(parse)  # expect: sequential-map
