import tensorflow as tf
from data import names, options

ds = tf.data.Dataset.from_tensor_slices(names)
ds = ds.interleave(tf.data.TFRecordDataset, **options)
