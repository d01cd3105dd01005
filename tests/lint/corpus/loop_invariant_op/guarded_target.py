import tensorflow.compat.v1 as tf
from data import add, positions

length = tf.placeholder(tf.int32, [])
for position in positions:
    if position is None:
        position = tf.range(length)  # expect: loop-invariant-op
    add(position)
