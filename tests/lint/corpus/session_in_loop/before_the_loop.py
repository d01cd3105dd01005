import tensorflow.compat.v1 as tf
from data import batches, step

with tf.Session() as session:
    for batch in batches:
        session.run(step, {"x:0": batch})
