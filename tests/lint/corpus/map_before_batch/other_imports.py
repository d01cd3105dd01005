from data import parse
from tensorflow import data

ds = data.Dataset.range(100).map(parse, num_parallel_calls=4).batch(32)  # expect: map-before-batch note
