import tensorflow as tf
from data import batches, model


@tf.function
def step(x):
    return model(x)


for batch in batches:
    step(batch)
