from typing import Dict, Optional

import tensorflow as tf
from data import parse


class Source:
    held: tf.data.Dataset

    def all(self):
        return self.held.map(parse)  # expect: sequential-map


def one(ds: Optional[tf.data.Dataset] = None):
    return ds.map(parse)  # expect: sequential-map


def two(ds: tf.data.Dataset | None = None):
    return ds.map(parse)  # expect: sequential-map


def three(splits: Dict[str, tf.data.Dataset]):
    return splits["train"].map(parse)  # expect: sequential-map
