import tensorflow as tf
from data import use


@tf.function
def build(inputs, layers):
    for i in range(layers):
        use(tf.abs(inputs) if i == 0 else i)
