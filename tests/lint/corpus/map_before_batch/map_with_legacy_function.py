import tensorflow.compat.v1 as tf
from data import parse

ds = tf.data.Dataset.range(100)
ds = ds.map_with_legacy_function(parse, num_parallel_calls=4)  # expect: map-before-batch note
ds = ds.batch(8)
