import tensorflow as tf
from data import model


@tf.function
def step(number):
    return model(number)


for number in range(1000):
    step(tf.convert_to_tensor(number))
