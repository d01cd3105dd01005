import tensorflow as tf
from data import WEIGHTS, use


class Model:
    def weights(self):
        return tf.constant(WEIGHTS)  # expect: loop-invariant-op

    @tf.function
    def train(self, batches: list):
        for batch in batches:
            use(batch, self.weights())
