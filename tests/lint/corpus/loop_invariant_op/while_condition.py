import tensorflow as tf
from data import LIMIT, use


@tf.function
def train(step):
    while step < tf.constant(LIMIT):
        step = use(step)
