import tensorflow as tf
from data import WEIGHTS


@tf.function
def train(names):
    return {name: tf.convert_to_tensor(WEIGHTS) for name in names}  # expect: loop-invariant-op
