import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    last = {}
    for batch in batches:
        last["batch"] = batch
        use(tf.identity(last["batch"]))
