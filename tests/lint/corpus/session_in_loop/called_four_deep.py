import tensorflow.compat.v1 as tf
from data import batches, step


def first():
    with tf.Session() as session:
        session.run(step)


def second():
    first()


def third():
    second()


def fourth():
    third()


for batch in batches:
    fourth()
