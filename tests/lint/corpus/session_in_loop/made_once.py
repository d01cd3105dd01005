import tensorflow.compat.v1 as tf
from data import batches, step

session = None
for batch in batches:
    if session is None:
        session = tf.Session()
    session.run(step, {"x:0": batch})
