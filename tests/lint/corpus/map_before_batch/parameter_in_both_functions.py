import tensorflow as tf
from data import parse


def parsed(ds):
    return ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note


def batched(ds):
    return ds.batch(2)


ds = batched(parsed(tf.data.Dataset.range(9)))
