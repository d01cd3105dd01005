import tensorflow as tf
from data import use


@tf.function
def build(inputs, layers):
    x = inputs
    for i in range(layers):
        if i:
            x = tf.pad(x, [[1, 1]])
        else:
            x = tf.pad(inputs, [[1, 1]])
        use(x)
