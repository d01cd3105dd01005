from data import parse
from tensorflow.compat.v2 import data

ds = data.TFRecordDataset("a").map(parse)  # expect: sequential-map
