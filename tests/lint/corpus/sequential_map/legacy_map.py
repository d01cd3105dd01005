import tensorflow.compat.v1 as tf
from data import parse

ds = tf.data.Dataset.range(100).map_with_legacy_function(parse)  # expect: sequential-map
