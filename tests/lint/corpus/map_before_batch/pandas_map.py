import pandas as pd
import tensorflow as tf
from data import parse

frame = pd.DataFrame({"a": [1]})
frame["a"] = frame["a"].map(parse)
ds = tf.data.Dataset.from_tensor_slices(dict(frame)).batch(32)
