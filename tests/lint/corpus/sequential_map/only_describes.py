import tensorflow as tf

parts = tf.data.Dataset.range(4)
whole = parts.map(lambda i: tf.data.Dataset.range(9).shard(4, i))  # expect: sequential-map note
