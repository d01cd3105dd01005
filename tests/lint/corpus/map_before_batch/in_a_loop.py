import tensorflow as tf
from data import parsers

ds = tf.data.Dataset.range(100)
for parse in parsers:
    ds = ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note
ds = ds.batch(32)
