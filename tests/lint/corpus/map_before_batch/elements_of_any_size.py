import functools

import tensorflow as tf
from data import read, scale


def resized(image):
    return tf.image.resize(image, (8, 8))


def helper(image):
    return resized(image)


def padded(row):
    return tf.pad(row, [[0, 1]])


def make(size):
    def parse(path):
        return tf.io.decode_jpeg(path)

    return parse


def of_size(size, path):
    return tf.io.read_file(path)


def train(files):
    data = tf.data.Dataset.from_tensor_slices(files)
    a = data.map(resized, num_parallel_calls=8).batch(8)
    b = data.map(helper, num_parallel_calls=8).batch(8)
    c = data.map(padded, num_parallel_calls=8).batch(8)
    d = data.map(make(8), num_parallel_calls=8).batch(8)
    e = data.map(functools.partial(of_size, 8), num_parallel_calls=8).batch(8)
    f = data.map(scale, num_parallel_calls=8).padded_batch(8)
    g = data.map(lambda row: row * 2, num_parallel_calls=8).batch(8)  # expect: map-before-batch note
    return a, b, c, d, e, f, g
