import tensorflow as tf
from data import parse

train = tf.data.Dataset.range(100)
test = tf.data.Dataset.range(10)
train = train.map(parse, num_parallel_calls=4)
test = test.batch(32)
