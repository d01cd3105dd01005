import tensorflow as tf
from data import model


@tf.function
def step(number):
    return model(number)


for number in tf.range(1000):
    step(number)
