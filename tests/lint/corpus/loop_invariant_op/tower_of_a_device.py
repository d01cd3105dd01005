import tensorflow as tf
from data import following


def loss(images):
    return tf.nn.dropout(images, tf.constant(0.5))


@tf.function
def towers(number):
    for i in range(number):
        with tf.device("/gpu:%d" % i):
            loss(following())
