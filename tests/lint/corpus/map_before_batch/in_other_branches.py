import tensorflow as tf
from data import is_training, parse

ds = tf.data.Dataset.range(100)
if is_training:
    ds = ds.map(parse, num_parallel_calls=4)
else:
    ds = ds.batch(32)
