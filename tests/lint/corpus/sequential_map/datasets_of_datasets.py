import tensorflow as tf
from data import parse


def split(part):
    return part.unbatch().window(5).flat_map(lambda window: window.batch(5))


parts = tf.data.Dataset.range(4).map(lambda i: tf.data.Dataset.range(9).shard(4, i), 4)
parts = parts.map(split)  # expect: sequential-map note
flat = parts.interleave(lambda part: part, num_parallel_calls=2)
flat = flat.map(parse)  # expect: sequential-map
