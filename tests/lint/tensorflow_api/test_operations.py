"""The list of operations: what is in it, and that it is made from wheels as they are."""

import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from perf_assets.lint.tensorflow_api.operations import (
    canonical,
    is_description,
    is_operation,
)
from tests.lint.tensorflow_api.api_index import operations


@pytest.mark.parametrize(
    "name",
    (
        "tensorflow.zeros",
        "tensorflow.compat.v1.zeros",
        "tensorflow.compat.v2.math.add",
        "tensorflow.math.add",
        "tensorflow.compat.v1.to_float",  # of TensorFlow 1 alone
        "tensorflow.mul",  # gone before 1.0
        "tensorflow.einsum",  # cannot name its node
        "tensorflow.sparse.add",
        "tensorflow.bincount",
        "tensorflow.raw_ops.MatMul",
        "tensorflow.python.ops.array_ops.zeros",
        "tensorflow.keras.backend.mean",
        "tensorflow.keras.ops.add",
        "keras.ops.numpy.add",
        "tensorflow.image.resize",
    ),
)
def test_what_adds_nodes_is_an_operation_under_each_of_its_names(name: str) -> None:
    assert is_operation(name)


@pytest.mark.parametrize(
    "name",
    (
        "tensorflow.random.normal",  # another tensor in each call
        "tensorflow.random_normal",
        "tensorflow.nn.dropout",
        "tensorflow.Variable",  # a state of its own
        "tensorflow.get_variable",
        "tensorflow.placeholder",
        "tensorflow.assign",
        "tensorflow.io.read_file",  # the world outside
        "tensorflow.summary.scalar",
        "tensorflow.print",
        "tensorflow.name_scope",  # opens a scope
        "tensorflow.device",
        "tensorflow.function",
        "tensorflow.cond",  # what it is given runs later
        "tensorflow.map_fn",
        "tensorflow.data.Dataset.range",
        "tensorflow.keras.layers.Dense",
        "tensorflow.float32",
        "numpy.zeros",
        "zeros",
    ),
)
def test_what_does_something_else_is_none(name: str) -> None:
    assert not is_operation(name)


def test_a_description_of_features_is_distinguished() -> None:
    assert is_description("tensorflow.io.FixedLenFeature")
    assert not is_operation("tensorflow.io.FixedLenFeature")
    assert not is_description("mine.FixedLenFeature")


def test_the_list_says_what_it_is_of() -> None:
    content = files("perf_assets.lint.tensorflow_api") / "tensorflow_operations.txt"
    first = content.read_text("utf-8").partition("\n")[0]
    assert first.startswith("# tensorflow")
    assert "keras" in first


def test_names_of_one_symbol_have_one_canonical_name() -> None:
    names = ("tensorflow.compat.v1.data.Dataset", "tensorflow.contrib.data.Dataset")
    assert {canonical(name) for name in names} == {"tensorflow.data.Dataset"}


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[Path, Path]:
    """Two wheels with a public API of a few symbols."""
    tensorflow, keras = tmp_path / "tensorflow-9.1-any.whl", tmp_path / "keras-8.2-any.whl"
    with zipfile.ZipFile(tensorflow, "w") as wheel:
        index = "from tensorflow.python.ops.some_ops import add\n"
        index += "from tensorflow.python.ops.some_ops import add as plus\n"
        index += "from tensorflow.python.ops.some_ops import configure, random_normal, Shape\n"
        wheel.writestr("tensorflow/_api/v2/math/__init__.py", index)
        wheel.writestr("tensorflow/_api/v2/compat/v1/math/__init__.py", index)
        wheel.writestr("tensorflow/_api/v2/config/__init__.py", index)
        wheel.writestr(
            "tensorflow/python/ops/some_ops.py",
            "def add(x, y, name=None): ...\n"
            "def configure(x): ...\n"
            "def random_normal(shape, name=None): ...\n"
            "class Shape: ...\n",
        )
    with zipfile.ZipFile(keras, "w") as wheel:
        wheel.writestr("keras/ops/__init__.py", "from keras.src.ops import add, is_tensor, Add\n")
    return tensorflow, keras


def test_the_list_is_made_from_the_public_names_of_what_can_name_its_node(
    wheels: tuple[Path, Path],
) -> None:
    assert operations(*wheels) == [
        "keras.ops.add",
        "tensorflow.compat.v1.math.add",
        "tensorflow.compat.v1.math.plus",
        "tensorflow.math.add",
        "tensorflow.math.plus",
    ]


def test_the_list_is_written_with_its_versions(wheels: tuple[Path, Path]) -> None:
    command = [sys.executable, "-m", "tests.lint.tensorflow_api.api_index", *map(str, wheels)]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first, *rest = written.splitlines()
    assert first.startswith("# tensorflow 9.1, keras 8.2")
    assert rest[0] == "keras.ops: add"
