import tensorflow as tf
from data import parse

ds = tf.data.Dataset.list_files("*.png").map(parse)  # expect: sequential-map
