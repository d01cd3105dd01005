import tensorflow as tf
from data import parse


class Source:
    def source(self):
        return tf.data.Dataset.range(9)

    def parsed(self):
        return self.source().map(parse)  # expect: sequential-map
