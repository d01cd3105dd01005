import tensorflow as tf
from data import parse


def batched(dataset):
    return dataset.batch(32)


ds = batched(tf.data.Dataset.range(100).map(parse, num_parallel_calls=4))  # expect: map-before-batch note
