import tensorflow as tf
from data import batches, model


class Trainer:
    def __init__(self):
        self.step = None

    def train(self, batch):
        if self.step is None:
            self.step = tf.function(model)
        return self.step(batch)


trainer = Trainer()
for batch in batches:
    trainer.train(batch)
