import tensorflow as tf
from data import batches, model


@tf.function
def step(batch, number=0):
    return model(batch, number)


for number, batch in enumerate(batches):
    step(batch, number=number)  # expect: scalar-to-function note
