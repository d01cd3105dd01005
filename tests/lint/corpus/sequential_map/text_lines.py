import tensorflow as tf
from data import parse

ds = tf.data.TextLineDataset("a.csv").skip(1).map(parse)  # expect: sequential-map
