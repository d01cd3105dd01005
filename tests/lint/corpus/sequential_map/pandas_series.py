import pandas as pd
import tensorflow as tf
from data import parse

series = pd.Series([1, 2]).map(parse)
ds = tf.data.Dataset.from_tensor_slices(series)
