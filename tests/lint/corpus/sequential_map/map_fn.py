import tensorflow as tf
from data import parse, rows

parsed = tf.map_fn(parse, rows)
nested = tf.nest.map_structure(parse, rows)
