import tensorflow as tf
from data import parse


def parsed(ds):
    return ds.map(parse)  # expect: sequential-map


ds = parsed(tf.data.Dataset.range(9))
