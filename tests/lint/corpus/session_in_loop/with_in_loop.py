import tensorflow.compat.v1 as tf
from data import batches, step

for batch in batches:
    with tf.Session() as session:  # expect: session-in-loop note
        session.run(step, {"x:0": batch})
