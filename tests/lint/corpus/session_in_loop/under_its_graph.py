import tensorflow.compat.v1 as tf


class Runner:
    def run(self, names):
        for name in names:
            with self.graph.as_default():
                with tf.Session(graph=self.graph) as session:  # expect: session-in-loop note
                    session.run(name)
