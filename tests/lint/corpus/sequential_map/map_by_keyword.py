import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(100).map(parse, num_parallel_calls=tf.data.AUTOTUNE)
