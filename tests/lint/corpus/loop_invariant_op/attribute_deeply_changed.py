import tensorflow as tf
from data import use


class Model:
    @tf.function
    def train(self, batches):
        for batch in batches:
            self.options.rate = batch.rate
            use(tf.constant(self.options.rate))
