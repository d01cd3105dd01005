import tensorflow as tf
from data import WEIGHTS, batches, use

with tf.Graph().as_default():
    for batch in batches:
        use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
