import tensorflow.compat.v1 as tf
from data import parse

ds = tf.data.Dataset.range(100).map(parse)  # expect: sequential-map
