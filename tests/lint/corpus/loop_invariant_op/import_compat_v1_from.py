from data import WEIGHTS, use
from tensorflow.compat import v1 as tf1


def build(batches):
    with tf1.Graph().as_default():
        for batch in batches:
            use(batch, tf1.constant(WEIGHTS))  # expect: loop-invariant-op
