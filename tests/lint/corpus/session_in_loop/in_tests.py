# path: project/tests/test_session.py
import tensorflow.compat.v1 as tf
from data import names, output

for name in names:
    with tf.Session() as session:
        session.run(output)
