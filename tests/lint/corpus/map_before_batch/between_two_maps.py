import tensorflow as tf
from data import parse, scale

ds = tf.data.Dataset.range(100)
ds = ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note
ds = ds.batch(32)
ds = ds.map(scale, num_parallel_calls=4)
