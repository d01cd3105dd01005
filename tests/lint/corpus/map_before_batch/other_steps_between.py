import tensorflow as tf
from data import is_good, parse

ds = tf.data.Dataset.range(9)
ds = ds.map(parse, num_parallel_calls=4)  # expect: map-before-batch note
ds = ds.filter(is_good).cache().shuffle(100).repeat()
ds = ds.batch(2, drop_remainder=True)
