import tensorflow as tf
from data import model


@tf.function
def step(number):
    return model(number)


for number in range(1000):
    step(number)  # expect: scalar-to-function note
