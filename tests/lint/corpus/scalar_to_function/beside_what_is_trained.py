import tensorflow as tf


@tf.function
def step(x, t):
    return x + t


def train(model, optimizer, batch, number):
    for i in range(number):
        spread = tf.exp(model.spread)
        optimizer.apply_gradients(spread)
        step(batch, i * model.scale)  # expect: scalar-to-function note
