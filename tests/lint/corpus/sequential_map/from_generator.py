import tensorflow as tf
from data import parse, rows

ds = tf.data.Dataset.from_generator(rows, tf.int64).map(parse)  # expect: sequential-map
