import tensorflow as tf
from data import names

ds = tf.data.Dataset.from_tensor_slices(names).interleave(tf.data.TFRecordDataset)  # expect: sequential-map
