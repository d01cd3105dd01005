import tensorflow as tf
from data import parse


class Source:
    def __init__(self):
        self.ds = tf.data.Dataset.range(100).map(parse, num_parallel_calls=4)  # expect: map-before-batch note

    def batches(self):
        return self.ds.batch(32)
