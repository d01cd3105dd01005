import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(100).map(parse, num_parallel_calls=4).batch(32)  # expect: map-before-batch note
