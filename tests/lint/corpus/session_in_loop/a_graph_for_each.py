import tensorflow.compat.v1 as tf
from data import build, names

for name in names:
    with tf.Graph().as_default():
        output = build(name)
        with tf.Session() as session:
            session.run(output)
