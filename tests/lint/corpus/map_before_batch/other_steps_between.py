import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(9)
ds = ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note
ds = ds.cache().shuffle(100).repeat()
ds = ds.batch(2, drop_remainder=True)
