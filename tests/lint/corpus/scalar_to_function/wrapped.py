import tensorflow as tf
from data import model

step = tf.function(model)
for number in range(1000):
    step(number)  # expect: scalar-to-function note
