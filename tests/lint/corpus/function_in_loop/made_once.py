import tensorflow as tf
from data import batches, model


def made():
    @tf.function
    def step(x):
        return model(x)

    return step


step = made()
for batch in batches:
    step(batch)
