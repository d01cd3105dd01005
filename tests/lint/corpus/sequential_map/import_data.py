from data import parse
from tensorflow import data

ds = data.Dataset.range(100).map(parse)  # expect: sequential-map
