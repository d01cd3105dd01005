import tensorflow as tf
from data import parse


def source():
    ds = tf.data.Dataset.range(9)

    def parsed():
        return ds.map(parse)  # expect: sequential-map

    return parsed()
