import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(9).map(parse, num_parallel_calls=4)
ds = ds.bucket_by_sequence_length(len, [10, 20], [4, 2, 1])
