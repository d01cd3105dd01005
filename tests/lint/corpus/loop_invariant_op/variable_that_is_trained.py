import tensorflow as tf
from data import use


def train(actor, optimizer, batches):
    for batch in batches:
        spread = tf.exp(actor.log_spread)
        optimizer.apply_gradients(use(batch, spread))
