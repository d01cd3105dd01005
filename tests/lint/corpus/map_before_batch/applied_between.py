import tensorflow as tf
from data import fix


def read(pattern):
    ds = tf.data.Dataset.list_files(pattern).map(fix, num_parallel_calls=3)
    ds = ds.apply(tf.contrib.data.parallel_interleave(tf.data.TFRecordDataset, cycle_length=3))
    return ds.batch(3)
