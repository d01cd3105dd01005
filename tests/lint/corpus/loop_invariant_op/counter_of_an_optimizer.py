import tensorflow as tf
from data import show, train_on


def train(optimizer, batches):
    for batch in batches:
        train_on(batch)
        show(tf.cast(optimizer.iterations, tf.float32))
