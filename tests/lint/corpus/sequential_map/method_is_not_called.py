import tensorflow as tf

apply = tf.data.Dataset.range(9).map
