import tensorflow as tf
from data import use


def build(batches):
    with tf.Graph().as_default():
        for batch in batches:
            use(batch, tf.constant(input()))
