import tensorflow as tf
from data import batches, model


@tf.function
def step(batch, number):
    return model(batch, number)


number = 0
for batch in batches:
    step(batch, number)  # expect: scalar-to-function note
    number += 1
