import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(100)
ds = ds.map(parse, num_parallel_calls=4).padded_batch(8)
