import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(100).map(parse)  # expect: sequential-map
