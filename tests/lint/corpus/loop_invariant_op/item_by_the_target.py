import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(names):
    for name in names:
        use(tf.constant(WEIGHTS[name]))
