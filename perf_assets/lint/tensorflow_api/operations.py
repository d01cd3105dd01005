"""TensorFlow's and Keras' operations by their public names."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

ALIASES = (
    (re.compile(r"^tensorflow\.compat\.v[12]\.compat\.v[12]\."), "tensorflow."),
    (re.compile(r"^tensorflow\.compat\.v[12]\."), "tensorflow."),
    (re.compile(r"^tensorflow\.(?:_api\.v[12]|contrib\.eager\.python\.tfe)\."), "tensorflow."),
    (re.compile(r"^tensorflow\.python\.(?:keras|tf_keras)\."), "keras."),
    (re.compile(r"^tensorflow\.(?:contrib\.)?keras\."), "keras."),
    (re.compile(r"^tf_keras\."), "keras."),
    (re.compile(r"^keras\.(?:api|_tf_keras|src)\.(?:keras\.)?"), "keras."),
    (re.compile(r"^keras\.(?:api\.)?backend\.backend\."), "keras.backend."),
    (re.compile(r"^tensorflow\.python\.ops\.(?:\w+_ops|array_ops_stack|ops)\."), "tensorflow."),
    (
        re.compile(r"^tensorflow\.python\.data\.(?:experimental\.)?ops\.(?:\w+)\."),
        "tensorflow.data.",
    ),
    (re.compile(r"^tensorflow\.contrib\.data\.(?:python\.ops\.\w+\.)?"), "tensorflow.data."),
)
# Names of operations that TensorFlow had before 1.0, and that no index of today has.
BEFORE_ONE = frozenset(
    f"tensorflow.{name}"
    for name in [
        "batch_matmul",
        "complex_abs",
        "concat_v2",
        "inv",
        "listdiff",
        "mul",
        "neg",
        "pack",
        "select",
        "sub",
        "unpack",
        "sparse_segment_mean_grad",
        "batch_cholesky",
        "batch_matrix_determinant",
    ]
)

FEATURES = frozenset(
    (
        "FixedLenFeature",
        "FixedLenSequenceFeature",
        "RaggedFeature",
        "SparseFeature",
        "VarLenFeature",
    )
)


@lru_cache(maxsize=1 << 14)
def canonical(name: str) -> str:
    """Return one name for a symbol that has several, as `tensorflow.zeros` for that of
    `compat.v1`.
    """
    for pattern, plain in ALIASES:
        name = pattern.sub(plain, name, count=1)
    return name


@lru_cache(maxsize=1 << 14)
def is_operation(name: str) -> bool:
    """Return whether a function, by its full or canonical name, adds nodes to a graph and no more.

    The list is made from the public API index of the release in its first line, with all aliases
    (see `tests.lint.tensorflow_api.api_index`). What draws at random, has a state of its
    own, reads or writes is not in it.
    """
    name = canonical(name)
    space, _, leaf = name.rpartition(".")
    return leaf in _operations().get(space, ()) or name in BEFORE_ONE


def is_description(name: str) -> bool:
    """Return whether a class describes what is parsed: it adds no node, but is read by one that
    does.

    The published tool counts these as operations; maintainers accepted its report of one in a loop.
    """
    return (
        name.startswith(("tensorflow.io.", "tensorflow.")) and name.rpartition(".")[2] in FEATURES
    )


@cache
def _text() -> str:
    return files(__package__).joinpath("tensorflow_operations.txt").read_text(encoding="utf-8")


@cache
def _operations() -> dict[str, frozenset[str]]:
    spaces: dict[str, frozenset[str]] = {}
    for line in _text().splitlines()[1:]:
        space, _, names = line.partition(": ")
        space = canonical(space + ".").rstrip(".")
        spaces[space] = spaces.get(space, frozenset()) | frozenset(names.split())
    return spaces
