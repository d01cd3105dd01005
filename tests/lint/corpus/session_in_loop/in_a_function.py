import tensorflow.compat.v1 as tf
from data import batches, step


def run(batch):
    with tf.Session() as session:  # expect: session-in-loop note
        return session.run(step, {"x:0": batch})


for batch in batches:
    run(batch)
