import tensorflow as tf
from data import use


def play(actor, batches):
    for batch in batches:
        spread = tf.exp(actor.log_spread)  # expect: loop-invariant-op note
        use(batch, spread)
