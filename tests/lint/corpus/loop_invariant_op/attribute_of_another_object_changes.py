import tensorflow as tf
from data import use


class Model:
    @tf.function
    def train(self, batches: list, other):
        for batch in batches:
            other.rate = batch.rate
            use(batch, tf.constant(self.size))  # expect: loop-invariant-op
