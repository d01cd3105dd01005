import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(9).map(parse, num_parallel_calls=None)  # expect: sequential-map note
