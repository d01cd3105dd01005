import tensorflow as tf
from data import use


def build(batches):
    with tf.Graph().as_default():
        for batch in batches:
            try:
                use(batch)
            except ValueError as error:
                use(tf.constant(str(error)))
