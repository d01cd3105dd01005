import tensorflow as tf
from data import parse


def parsed(rows):
    tf.print("parsing")
    return rows.map(parse)
