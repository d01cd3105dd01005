import tensorflow as tf
from data import is_training, parse

train, test = tf.data.Dataset.range(9), tf.data.Dataset.range(3)
ds = train if is_training else test
ds = ds.map(parse)  # expect: sequential-map
