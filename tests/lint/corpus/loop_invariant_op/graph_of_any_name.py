import tensorflow as tf
from data import batches, use

g = tf.Graph()
with g.as_default():
    for batch in batches:
        use(batch, tf.zeros([3]))  # expect: loop-invariant-op
