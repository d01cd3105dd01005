import tensorflow as tf
from data import open_part, parse

dataset = tf.data.Dataset.range(8).map(open_part, num_parallel_calls=2)
dataset = dataset.flat_map(lambda part: tf.data.TFRecordDataset(part).map(parse, 2))  # expect: map-before-batch note
dataset = dataset.batch(32)
