import tensorflow.compat.v1 as tf
from data import names

variables = [tf.get_variable(name, initializer=tf.zeros([3])) for name in names]
