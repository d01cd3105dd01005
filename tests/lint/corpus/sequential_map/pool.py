from multiprocessing import Pool

import tensorflow as tf
from data import parse

with Pool(4) as pool:
    rows = pool.map(parse, range(9))
ds = tf.data.Dataset.from_tensor_slices(rows)
