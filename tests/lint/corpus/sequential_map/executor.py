from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf
from data import parse

with ThreadPoolExecutor() as executor:
    rows = list(executor.map(parse, range(9)))
ds = tf.data.Dataset.from_tensor_slices(rows)
