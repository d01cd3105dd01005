import tensorflow as tf
from data import batches, model


@tf.function
def step(batch, rate):
    return model(batch, rate)


for batch in batches:
    step(batch, 0.1)
