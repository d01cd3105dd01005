import tensorflow as tf
from data import names, parse

ds = tf.data.FixedLengthRecordDataset(names, 16).map(parse)  # expect: sequential-map
