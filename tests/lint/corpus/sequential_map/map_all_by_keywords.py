import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(100).map(map_func=parse, deterministic=True)  # expect: sequential-map
