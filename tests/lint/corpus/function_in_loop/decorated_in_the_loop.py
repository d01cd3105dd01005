import tensorflow as tf
from data import batches, model

for batch in batches:

    @tf.function
    def step(x):  # expect: function-in-loop note
        return model(x)

    step(batch)
