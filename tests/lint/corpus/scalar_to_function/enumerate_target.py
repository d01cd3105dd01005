import tensorflow as tf
from data import batches, model


@tf.function
def step(batch, number):
    return model(batch, number)


for number, batch in enumerate(batches):
    step(batch, number)  # expect: scalar-to-function note
