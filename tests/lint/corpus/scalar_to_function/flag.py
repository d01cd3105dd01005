import tensorflow as tf
from data import batches, model


@tf.function
def step(batch, training=False):
    return model(batch, training)


for batch in batches:
    step(batch, training=True)
