import tensorflow as tf
from data import model


@tf.function
def step(number):
    return model(number)


number = 0
while number < 1000:
    step(number)  # expect: scalar-to-function note
    number += 1
