import tensorflow as tf
from data import use


@tf.function
def crop(boxes, number):
    parts = []
    by_name = {}
    for i in range(number):
        parts.append(i)
        by_name[i] = i
    for part in parts:
        use(part, tf.zeros([2]))  # expect: loop-invariant-op
    for name in by_name:
        use(name, tf.zeros([2]))  # expect: loop-invariant-op
