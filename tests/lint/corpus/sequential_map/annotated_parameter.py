import tensorflow as tf
from data import parse


def parsed(ds: tf.data.Dataset) -> tf.data.Dataset:
    return ds.map(parse)  # expect: sequential-map
