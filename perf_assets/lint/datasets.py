"""Values that are datasets of `tf.data`, and where they come from."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

MAPS = frozenset(("map", "map_with_legacy_function"))
BATCHES = frozenset(("batch", "padded_batch"))
OTHER_BATCHES = frozenset(
    ("ragged_batch", "dense_to_ragged_batch", "bucket_by_sequence_length", "group_by_window")
)
FLAT = frozenset(("interleave", "flat_map"))
# Methods that give a dataset in the same state.
SAME = frozenset(
    (
        *("assert_cardinality", "cache", "copy", "enumerate", "filter", "fingerprint", "shard"),
        *("ignore_errors", "prefetch", "rebatch", "rejection_resample", "repeat", "scan", "skip"),
        *("shuffle", "snapshot", "sparse_batch", "take", "take_while", "unique", "with_options"),
    )
)
_IN_DATA = (
    *("Dataset", "TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset", "CsvDataset"),
    *("SqlDataset", "RandomDataset", "make_csv_dataset", "make_batched_features_dataset", "load"),
    *("sample_from_datasets", "choose_from_datasets", "Counter"),
)
_FROM_FILES = ("image", "text", "audio")
SOURCES = (
    *(f"tensorflow.data.{name}" for name in _IN_DATA),
    *(f"tensorflow.data.experimental.{name}" for name in _IN_DATA),
    *(
        f"keras.{module}.{kind}_dataset_from_directory"
        for kind in _FROM_FILES
        for module in ("utils", "preprocessing", f"preprocessing.{kind}")
    ),
    *("keras.utils.timeseries_dataset_from_array", "tensorflow_datasets.as_dataset"),
    *("keras.preprocessing.timeseries_dataset_from_array", "tensorflow_io.IODataset"),
)
BATCHED_SOURCES = ("_directory", "_from_array", "make_csv_dataset", "_features_dataset")
OF_SEVERAL = (".zip", "sample_from_datasets", "choose_from_datasets")


@dataclass(frozen=True)
class Dataset:
    """A value that is a `tf.data.Dataset`.

    Attributes
    ----------
    maps
        The calls of `map` on the way to it that no `batch` has followed.
    batched
        Whether its elements are batches, on one way to it at least.
    nested
        Whether its elements are datasets, as those of a window are.
    """

    maps: frozenset[ast.Call] = frozenset()
    batched: bool = False
    nested: bool = False


@dataclass(frozen=True)
class Several:
    """A tuple, list or dictionary of values.

    Attributes
    ----------
    parts
        The values.
    keys
        The keys of a dictionary; `("*",)` where any key may give any of them; empty for a sequence.
    """

    parts: tuple[Value, ...]
    keys: tuple[object, ...] = ()

    def at(self, key: object) -> Value:
        """Return the value under a constant key or index; what any may be, where the key is
        unknown.
        """
        if key in self.keys:
            return self.parts[self.keys.index(key)]
        if not self.keys and isinstance(key, int) and -len(self.parts) <= key < len(self.parts):
            return self.parts[key]
        return join(self.parts)

    def with_part(self, key: object, value: Value) -> Several:
        """Return the same with a value put in under a key; any may be meant by an unknown key."""
        keys = self.keys or tuple(range(len(self.parts)))
        if not isinstance(key, (str, int)) or keys == ("*",):
            return any_of((*self.parts, value))
        kept = dict(zip(keys, self.parts))
        kept[key] = value
        return Several(tuple(kept.values()), tuple(kept) if self.keys or not self.parts else ())


Value = Union[Dataset, Several, None]


def any_of(values: Iterable[Value]) -> Several:
    """Return a collection of which any element may be any of the values."""
    return Several((join(values),), ("*",))


def join(values: Iterable[Value]) -> Value:
    """Return what a value may be that is one of several; unknown ones are ignored."""
    present = [value for value in values if value is not None]
    tuples = [one for one in present if isinstance(one, Several)]
    if tuples and len(tuples) == len(present):
        same = [several for several in tuples if len(several.parts) == len(tuples[0].parts)]
        columns = zip(*(several.parts for several in same))
        return Several(tuple(join(parts) for parts in columns), tuples[0].keys)
    datasets = [one for one in present if isinstance(one, Dataset)]
    if not datasets:
        return None
    maps = frozenset[ast.Call]().union(*(dataset.maps for dataset in datasets))
    batched = any(dataset.batched for dataset in datasets)
    return Dataset(maps, batched, all(dataset.nested for dataset in datasets))


def of_source(full: str, node: ast.Call, given: list[Value]) -> Value:
    """Return what a function of TensorFlow, Keras or TensorFlow Datasets gives, by its full
    name.
    """
    if full == "tensorflow_datasets.load":
        return _loaded(node)
    if not full.startswith(SOURCES):
        return None
    if full.endswith(OF_SEVERAL):
        flat = (
            join(dataset.parts) if isinstance(dataset, Several) else dataset for dataset in given
        )
        return join((Dataset(), *flat))
    return Dataset(batched=full.endswith(BATCHED_SOURCES))


def _loaded(node: ast.Call) -> Value:
    """Return what `tensorflow_datasets.load` gives: one for each split, and the info if
    requested.
    """
    words = {word.arg: word.value for word in node.keywords}
    split = words.get("split") or (node.args[1] if len(node.args) > 1 else None)
    size = words.get("batch_size")
    single = size is None or (isinstance(size, ast.Constant) and size.value in (None, 1))
    one = Dataset(batched=not single)
    value: Value = one
    if split is None:
        value = any_of((one,))
    elif isinstance(split, (ast.List, ast.Tuple)):
        value = Several((one,) * len(split.elts))
    informed = words.get("with_info")
    with_info = isinstance(informed, ast.Constant) and informed.value
    return Several((value, None)) if with_info else value
