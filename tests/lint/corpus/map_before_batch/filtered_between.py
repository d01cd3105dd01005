import tensorflow as tf
from data import is_good, parse

ds = tf.data.Dataset.range(9)
ds = ds.map(parse, num_parallel_calls=4).filter(is_good).batch(2)
