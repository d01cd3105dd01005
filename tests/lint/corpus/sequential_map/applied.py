import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(9).apply(tf.data.experimental.ignore_errors())
ds = ds.map(parse)  # expect: sequential-map
