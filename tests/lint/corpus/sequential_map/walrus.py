import tensorflow as tf
from data import parse

if (ds := tf.data.Dataset.range(9)) is not None:
    ds = ds.map(parse)  # expect: sequential-map
