import tensorflow as tf
from data import use

weights = tf.Variable([1.0])


def train(batches):
    for batch in batches:
        use(batch, tf.norm(weights))
        weights.assign_add(batch)
