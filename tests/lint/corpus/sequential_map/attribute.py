import tensorflow as tf
from data import parse


class Source:
    def __init__(self):
        self.ds = tf.data.Dataset.range(9)

    def parsed(self):
        return self.ds.map(parse)  # expect: sequential-map
