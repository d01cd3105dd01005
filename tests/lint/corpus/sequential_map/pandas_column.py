import pandas as pd
import tensorflow as tf
from data import parse

frame = pd.read_csv("a.csv")
ds = tf.data.Dataset.from_tensor_slices(frame["a"].map(parse).values)
