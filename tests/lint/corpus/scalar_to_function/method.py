import tensorflow as tf


class Model:
    @tf.function
    def step(self, number):
        return number

    def train(self):
        for number in range(1000):
            self.step(number)  # expect: scalar-to-function note
