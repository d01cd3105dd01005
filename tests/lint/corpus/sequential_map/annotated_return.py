import tensorflow as tf
from data import load, parse


def source() -> tf.data.Dataset:
    return load()


ds = source().map(parse)  # expect: sequential-map
