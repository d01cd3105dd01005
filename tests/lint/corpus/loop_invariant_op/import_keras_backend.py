import tensorflow as tf
from data import WEIGHTS, use
from tensorflow.keras import backend as K


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, K.sum(WEIGHTS))  # expect: loop-invariant-op
