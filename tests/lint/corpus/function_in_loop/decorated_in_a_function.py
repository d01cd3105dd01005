import tensorflow as tf
from data import batches, model


def train(batch):
    @tf.function
    def step(x):  # expect: function-in-loop note
        return model(x)

    return step(batch)


for batch in batches:
    train(batch)
