import tensorflow as tf


class Heads(tf.keras.Model):
    def call(self, x):
        return self.attend(x)

    def attend(self, x):
        for head in self.heads:
            x = head(x) + tf.ones([3])  # expect: loop-invariant-op
        return x
