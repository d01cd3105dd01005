import tensorflow as tf
from data import names

ds = tf.data.Dataset.from_tensor_slices(names)
ds = ds.interleave(tf.data.TFRecordDataset, 4, 16)  # expect: sequential-map
