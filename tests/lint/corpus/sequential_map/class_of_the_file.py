import tensorflow as tf


class Reader:
    def __init__(self, ds: tf.data.Dataset):
        self._ds = ds

    def map(self, function):
        self._ds = self._ds.map(function, 4)
        return self

    def batch(self, size):
        self._ds = self._ds.batch(size)
        return self


ds = Reader(tf.data.Dataset.range(3)).map(tf.abs).batch(3)
dataset = Reader(tf.data.Dataset.range(3))
dataset = dataset.map(tf.abs).batch(3)
