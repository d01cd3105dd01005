import tensorflow.compat.v1 as tf
from data import WEIGHTS, batches, use


def build():
    graph = tf.Graph()
    with graph.as_default():
        for batch in batches:
            use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
