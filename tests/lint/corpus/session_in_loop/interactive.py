import tensorflow as tf
from data import more, step

while more():
    session = tf.InteractiveSession()  # expect: session-in-loop note
    session.run(step)
