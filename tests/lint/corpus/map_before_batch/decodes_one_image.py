import tensorflow as tf


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


ds = tf.data.Dataset.list_files("*").map(load, num_parallel_calls=4).batch(2)
