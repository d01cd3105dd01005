import pandas as pd
import tensorflow as tf
from data import parse

ds = tf.data.Dataset.range(9)
for batch in ds:
    print(batch)
ds = pd.Series([1, 2])
ds = ds.map(parse)
