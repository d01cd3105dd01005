import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(9)
train, test = ds.take(6), ds.skip(6)
train = train.map(parse)  # expect: sequential-map
