import tensorflow as tf
from data import use


class Model:
    @tf.function
    def train(self, batches: list):
        for batch in batches:
            use(batch, tf.constant(self.rate))  # expect: loop-invariant-op
