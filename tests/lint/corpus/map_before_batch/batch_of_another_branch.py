import tensorflow as tf
from data import parse

source = tf.data.Dataset.range(100)
parsed = source.map(parse, num_parallel_calls=4)
batches = source.batch(32)
