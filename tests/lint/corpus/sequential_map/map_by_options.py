import tensorflow as tf
from data import options, parse

ds = tf.data.Dataset.range(100).map(parse, **options)
