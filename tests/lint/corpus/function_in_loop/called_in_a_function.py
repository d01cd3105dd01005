import tensorflow as tf
from data import batches, model


def train(batch):
    step = tf.function(model)  # expect: function-in-loop note
    return step(batch)


while True:
    train(next(batches))
