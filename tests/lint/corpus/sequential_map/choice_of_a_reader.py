import tensorflow as tf
from data import files, is_text, parse

reader = tf.data.TextLineDataset if is_text else tf.data.TFRecordDataset
ds = reader(files).map(parse)  # expect: sequential-map
