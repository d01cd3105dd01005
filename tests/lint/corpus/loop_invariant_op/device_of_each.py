import tensorflow as tf
from data import use


@tf.function
def towers(number):
    for i in range(number):
        with tf.device(f"/gpu:{i}"):
            use(tf.zeros([2]))
        with tf.device("/cpu:0"):
            use(tf.zeros([2]))  # expect: loop-invariant-op
