from data import parse
from tensorflow.data import Dataset

ds = Dataset.range(100).map(parse)  # expect: sequential-map
