import tensorflow as tf

ds = tf.data.Dataset.range(9).map(lambda x: x + 1, num_parallel_calls=4).batch(2)  # expect: map-before-batch note
