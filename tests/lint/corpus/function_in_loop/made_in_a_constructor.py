import tensorflow as tf
from data import batches, model


class Trainer:
    def __init__(self):
        self.step = tf.function(model)


trainer = Trainer()
for batch in batches:
    trainer.step(batch)
