import tensorflow as tf
from data import parse

ds = (
    tf.data.Dataset.range(9)
    .shuffle(9)
    .map(  # expect: sequential-map
        parse,
    )
    .prefetch(1)
)
