import tensorflow as tf
from data import parse

ds = (
    tf.data.Dataset.range(100)
    .shuffle(10)
    .map(parse, num_parallel_calls=4)  # expect: map-before-batch note
    .prefetch(1)
    .batch(32)
)
