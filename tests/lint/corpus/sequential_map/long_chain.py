import tensorflow as tf
from data import other, parse

ds = tf.data.Dataset.range(9).concatenate(other).take(5).cache().repeat(2).shuffle(9)
ds = ds.prefetch(1).map(parse)  # expect: sequential-map
