import tensorflow as tf
from data import parse

source = tf.data.TFRecordDataset(["a"])
parsed = source.map(parse, num_parallel_calls=4)  # expect: map-before-batch note
batches = parsed.batch(32)
