import tensorflow as tf
from data import parse


class Source:
    def parsed(self):
        ds = tf.data.Dataset.range(9)
        return ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note

    def batches(self):
        return self.parsed().batch(2)
