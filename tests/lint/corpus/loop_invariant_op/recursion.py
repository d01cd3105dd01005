import tensorflow as tf
from data import use


def walk(tree):
    for child in tree.children:
        use(tf.identity(child.value))
        walk(child)
