import tensorflow as tf
from data import LIMIT, use


@tf.function
def train(step):
    while step < tf.constant(LIMIT):  # expect: loop-invariant-op
        step = use(step)
