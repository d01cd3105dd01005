import tensorflow as tf
from data import use


def count():
    for i in tf.range(10):
        use(i, tf.zeros([2]))
    for i in tf.range(11):
        use(i, tf.zeros([2]))  # expect: loop-invariant-op note
