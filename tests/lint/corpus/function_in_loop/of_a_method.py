import tensorflow as tf
from data import batches


class Model:
    @tf.function
    def step(self, x):
        return x


model = Model()
for batch in batches:
    model.step(batch)
