import tensorflow as tf
from data import parse

ds = tf.data.TFRecordDataset("a")
ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32))  # expect: sequential-map
ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=4))
ds = ds.apply(tf.contrib.data.map_and_batch(parse, 32, 4))
