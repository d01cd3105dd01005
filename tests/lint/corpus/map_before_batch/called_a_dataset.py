import tensorflow as tf
from data import make, parse

assert tf.executing_eagerly()
train_dataset = make()
train_dataset = train_dataset.map(parse, 4)  # expect: map-before-batch note
train_dataset = train_dataset.batch(32)
