import tensorflow as tf

keys = ("x", "y")
ds = tf.data.TFRecordDataset("a")
ds = ds.map(lambda x: tuple(x[k] for k in keys))  # expect: sequential-map note
