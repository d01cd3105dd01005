import tensorflow as tf
from data import names, parse

ds = tf.data.experimental.make_csv_dataset(names, 32).map(parse)  # expect: sequential-map
