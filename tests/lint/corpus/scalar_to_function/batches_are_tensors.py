import tensorflow as tf
from data import model


@tf.function
def step(batch):
    return model(batch)


for batch in tf.data.Dataset.range(1000).batch(10):
    step(batch)
