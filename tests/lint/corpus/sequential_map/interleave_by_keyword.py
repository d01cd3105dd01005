import tensorflow as tf
from data import names

ds = tf.data.Dataset.from_tensor_slices(names)
ds = ds.interleave(tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=4)
