"""What other modules of a project define counts, and what lies outside of it is not read."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from perf_assets.lint.files import project as projects
from perf_assets.lint.files.discovery import Exclusion, find_files, read
from perf_assets.lint.files.reading import result_of
from perf_assets.lint.files.results import SourceFile
from perf_assets.lint.rules import named

DATA = """import tensorflow as tf


def make(paths):
    return tf.data.TFRecordDataset(paths)


def load(x):
    return tf.io.decode_jpeg(x)


def pick(x):
    return x["a"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a package, which hands on what its module defines."""
    files = {
        "pyproject.toml": "",
        "pkg/__init__.py": "from .data import make\n",
        "pkg/data.py": DATA,
        "pkg/broken.py": "def make(:\n",
        "pkg/sub/__init__.py": "",
        "pkg/sub/beside.py": DATA.replace("make(paths)", "both(paths=1)"),
        "pkg/circle.py": "from pkg.circle import make\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def found(
    root: Path, name: str, text: str, names: Sequence[str] = ("sequential-map",)
) -> list[tuple[int, str]]:
    """Lines and severities of what is found in a file of the project."""
    (root / name).write_text(f"import tensorflow as tf\n{text}\n")
    (file,) = find_files([root / name], Exclusion(root))
    source = read(file)  # type: ignore[arg-type]
    assert isinstance(source, SourceFile) and Path(source.root) == root
    rules = named(names)
    alone = result_of(source._replace(root=""), rules, 512)
    result = result_of(source, rules, 512)
    assert result.skipped is None and alone.findings == ()
    return [(one.line, one.severity.value) for one in result.findings]


@pytest.mark.parametrize(
    ("name", "imports", "value"),
    [
        ("train.py", "from pkg.data import make", "make(1)"),
        ("train.py", "from pkg import make", "make(1)"),
        ("train.py", "import pkg.data as data", "data.make(1)"),
        ("pkg/sub/train.py", "from ..data import make", "make(1)"),
        ("pkg/sub/train.py", "from .. import data", "data.make(1)"),
        ("pkg/sub/train.py", "from . import beside", "beside.both()"),
        ("pkg/sub/train.py", "from .beside import both", "both()"),
        ("pkg/train.py", "from data import make", "make(1)"),  # as a script beside its module
    ],
)
def test_a_dataset_of_another_module_is_one(
    root: Path, name: str, imports: str, value: str
) -> None:
    assert found(root, name, f"{imports}\nds = {value}.map(len)") == [(3, "note")]


def test_what_a_function_of_another_module_does_decides(root: Path) -> None:
    text = "from pkg.data import make, load, pick\nds = make(1).map({})"
    assert found(root, "train.py", text.format("load")) == [(3, "warning")]
    assert found(root, "train.py", text.format("pick")) == [(3, "note")]
    assert found(root, "train.py", text.format("lambda x: load(x)")) == [(3, "warning")]


def test_what_a_function_of_another_module_is_given_decides(root: Path) -> None:
    (root / "pkg/parts.py").write_text(
        "def halves(ds):\n    return ds.take(3), ds.skip(3)\n\n\n"
        "def grouped(ds):\n    return ds.batch(8)\n"
    )
    made = "from pkg.data import load, make\nfrom pkg.parts import grouped, halves\n"
    text = f"{made}first, rest = halves(make(1))\nds = rest.map(load)"
    assert found(root, "train.py", text) == [(5, "warning")]
    text = f"{made}first, rest = halves([1])\nds = rest.map(len)"
    assert found(root, "train.py", text) == []
    text = f"{made}ds = make(1).map(len)\nds = grouped(ds)"
    assert found(root, "train.py", text, ["map-before-batch"]) == [(4, "note")]


@pytest.mark.parametrize(
    "imports",
    [
        "from pkg.broken import make",
        "from pkg.circle import make",
        "from pkg.nowhere import make",
        "from ....... import make",
        "from pkg.data import missing as make",
        "from outside import make",
    ],
)
def test_what_cannot_be_known_is_unknown(root: Path, imports: str) -> None:
    outside = root.parent / f"{root.name}-outside.py"
    outside.write_text(DATA)
    (root / "outside.py").symlink_to(outside)
    assert found(root, "train.py", f"{imports}\nds = make(1).map(len)") == []


def test_few_and_small_modules_are_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from pkg.data import make\nds = make(1).map(len)"
    assert found(root, "train.py", text) != []
    monkeypatch.setattr(projects, "MOST_FILES", 0)
    assert found(root, "train.py", text) == []
    monkeypatch.undo()
    (root / "pkg/data.py").write_text(DATA + "#" * projects.MOST_BYTES)
    assert found(root, "train.py", text) == []


def test_a_module_that_changes_is_read_again(root: Path) -> None:
    text = "from pkg.data import make\nds = make(1).map(len)"
    assert found(root, "train.py", text) == [(3, "note")]
    (root / "pkg/data.py").write_text("def make(paths):\n    return list(paths)\n")
    assert found(root, "train.py", text) == []
