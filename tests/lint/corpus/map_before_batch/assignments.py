import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(100)
ds = ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note
ds = ds.shuffle(10)
ds = ds.batch(32)
