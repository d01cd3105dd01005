import tensorflow as tf
from data import use


def rate(name, step):
    if name == "linear":
        return tf.minimum(1.0, step)
    return step


def rates(names, step):
    for name in names:
        use(rate(name, step))
