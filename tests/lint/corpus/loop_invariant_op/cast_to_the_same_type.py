import tensorflow.compat.v1 as tf
from data import layers

x = tf.placeholder(tf.int32, [None])
for layer in layers:
    y = layer(tf.to_int32(x), tf.cast(x, tf.int32))
    z = layer(tf.cast(x, tf.float32))  # expect: loop-invariant-op
