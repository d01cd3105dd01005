import tensorflow as tf
from data import parse


def source(first, second):
    first = first.map(parse, num_parallel_calls=4)
    second = second.batch(2)
    return first, second


train, test = source(tf.data.Dataset.range(9), tf.data.Dataset.range(9))
