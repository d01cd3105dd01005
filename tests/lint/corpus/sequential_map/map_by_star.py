import tensorflow as tf
from data import arguments

ds = tf.data.Dataset.range(100).map(*arguments)
