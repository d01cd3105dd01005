from data import WEIGHTS, use

try:
    import tensorflow.compat.v1 as tf
except ImportError:
    import tensorflow as tf


def build(batches):
    with tf.Graph().as_default():
        for batch in batches:
            use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
