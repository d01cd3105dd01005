import keras
import tensorflow as tf
from data import WEIGHTS, use


@tf.function
def train(batches: list):
    for batch in batches:
        use(batch, keras.ops.convert_to_tensor(WEIGHTS))  # expect: loop-invariant-op
