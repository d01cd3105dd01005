import tensorflow as tf
from data import load, parse

ds: tf.data.Dataset = load()
ds = ds.map(parse)  # expect: sequential-map
