import tensorflow as tf
from data import parse

first, second = tf.data.Dataset.range(9), tf.data.Dataset.range(9)
ds = tf.data.Dataset.zip((first, second)).map(parse)  # expect: sequential-map
