import tensorflow as tf
from data import parse, use

splits = {"train": tf.data.Dataset.range(3), "test": tf.data.Dataset.range(2)}
for name, ds in splits.items():
    use(name, ds.map(parse))  # expect: sequential-map
for index, ds in enumerate([splits["test"]]):
    use(index, ds.map(parse))  # expect: sequential-map
