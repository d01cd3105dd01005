import tensorflow as tf
from data import model


def step(number):
    return model(tf, number)


for number in range(1000):
    step(number)
