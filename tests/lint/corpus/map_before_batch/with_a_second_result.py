import tensorflow as tf
from data import parse


def source():
    ds = tf.data.Dataset.range(100).map(parse, num_parallel_calls=4)  # expect: map-before-batch note
    return ds, 100


ds, size = source()
ds = ds.batch(32)
