import tensorflow as tf
from data import use


def mask():
    return tf.ones([2])  # expect: loop-invariant-op


@tf.function
def towers(number):
    for i in range(number):
        with tf.device(f"/gpu:{i}"):
            use(mask())
        use(mask())
