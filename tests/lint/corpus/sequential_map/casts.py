import tensorflow as tf


def scaled(x, y):
    return tf.cast(x, tf.float32) / 255.0, y


ds = tf.data.TFRecordDataset("a").map(scaled)  # expect: sequential-map note
