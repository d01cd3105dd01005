import tensorflow as tf


class Trainer:
    def __init__(self, model):
        self.model = model
        self.step = tf.function(self._step)  # expect: function-in-loop note

    def _step(self, x):
        return self.model(x)


def trainers(models):
    return [Trainer(model) for model in models]
