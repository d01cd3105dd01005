"""What mends itself changes nothing else, and once."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.fixes import applied
from perf_assets.lint.linter import check
from perf_assets.lint.rules import RULES
from tests.paths import ROOT
from tests.support import perf_assets

FILES = sorted((ROOT / "tests" / "lint" / "corpus").rglob("*.py"))
PURE = """import tensorflow as tf


def scaled(x, y):
    return tf.cast(x, tf.float32) / 255.0, tf.reshape(y, (-1,))


ds = tf.data.TFRecordDataset("a").map(scaled)
ds = ds.map(
    lambda x, y: (x[..., 0], len(y)),
)
"""
MENDED = """import tensorflow as tf


def scaled(x, y):
    return tf.cast(x, tf.float32) / 255.0, tf.reshape(y, (-1,))


ds = tf.data.TFRecordDataset("a").map(scaled, num_parallel_calls=tf.data.AUTOTUNE)
ds = ds.map(
    lambda x, y: (x[..., 0], len(y)), num_parallel_calls=tf.data.AUTOTUNE,
)
"""


def mended(text: str, path: str = "project/module.py") -> str:
    return applied(text, [edit for one in check(text, path, RULES) for edit in one.edits])


class _Without(ast.NodeTransformer):
    """A tree without the arguments that fixes give or take."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [
            one for one in node.keywords if one.arg not in ("num_parallel_calls", "set_to_none")
        ]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "zero_grad":
            node.args = []
        return node


def skeleton(text: str) -> str:
    return ast.dump(_Without().visit(ast.parse(text)))


def test_functions_of_their_input_alone_run_in_parallel() -> None:
    assert mended(PURE) == MENDED
    assert mended(MENDED) == MENDED


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_mended_file_differs_in_nothing_else_and_mending_it_again_changes_nothing(
    file: Path,
) -> None:
    text = file.read_text(encoding="utf-8")
    after = mended(text)
    assert skeleton(after) == skeleton(text)
    assert mended(after) == after


BODIES = {
    "tf.cast(x, tf.int32)": True,
    "tf.io.decode_raw(x, tf.uint8)": True,
    "x + tf.random.uniform([])": False,
    "tf.py_function(read, [x], tf.int32)": False,
    "unknown(x)": False,
    "x.method()": False,
    "[next(numbers), x]": False,
    "(x, len(str(x)))": True,
}


@given(
    body=st.sampled_from(sorted(BODIES)),
    before=st.sampled_from(["", "\n", "  # why\n", "# ä → ö\n"]),
    behind=st.sampled_from(["", ",", " ", ",\n", "\n    ", "  # kept\n"]),
    alias=st.sampled_from(["tf", "tensorflow", "t"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_only_what_is_known_to_be_harmless_is_mended_however_it_is_written(
    body: str, before: str, behind: str, alias: str, end: str
) -> None:
    body = body.replace("tf.", f"{alias}.")
    name = "import tensorflow" + ("" if alias == "tensorflow" else f" as {alias}")
    text = (
        f'{name}\nnumbers = iter([1])\nä = "é"; ds = {alias}.data.TextLineDataset("a").map({before}'
        f"    lambda x: {body}{behind})\n"
    ).replace("\n", end)
    plain = text.replace("\r\n", "\n")
    edits = [edit for one in check(plain, "project/a.py", RULES) for edit in one.edits]
    after = applied(text, edits)
    assert skeleton(after.replace("\r\n", "\n")) == skeleton(plain)
    assert ("num_parallel_calls" in after) == (
        BODIES[body.replace(f"{alias}.", "tf.")] and "#" not in behind
    )
    assert after.count("\r") == text.count("\r")


def test_zeros_that_nobody_reads_are_dropped() -> None:
    text = "import torch\noptimizer.zero_grad(set_to_none=False)\nm.zero_grad( False, )\n"
    assert mended(text) == "import torch\noptimizer.zero_grad()\nm.zero_grad()\n"
    reading = f"{text}print(w.grad)\n"
    assert mended(reading) == reading


@pytest.mark.slow
def test_the_command_shows_a_diff_and_changes_files_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, other = tmp_path / "a.py", tmp_path / "b.py"
    file.write_bytes(b"\xef\xbb\xbf" + PURE.replace("\n", "\r\n").encode())
    file.chmod(0o750)
    other.write_text("import tensorflow as tf\nds = tf.data.Dataset.range(9).map(parse)\n")
    before = file.read_bytes()

    shown = perf_assets("lint", ".")
    assert shown.returncode == 1 and "[*] 2 fixable with --fix" in shown.stdout
    assert shown.stdout.count(": PA103 [*] ") == 2
    diff = perf_assets("lint", ".", "--diff")
    assert diff.returncode == 1 and file.read_bytes() == before
    assert diff.stdout.startswith("--- a/a.py\n+++ b/a.py\n@@ ") and "b.py" not in diff.stdout[9:20]
    both = perf_assets("lint", ".", "--fix", "--diff")
    assert (both.returncode, both.stdout) == (1, diff.stdout) and file.read_bytes() == before
    fixed = perf_assets("lint", ".", "--fix")
    assert fixed.stderr.startswith("2 findings mended in 1 files")
    assert file.read_bytes() == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode()
    assert file.stat().st_mode & 0o777 == 0o750
    assert fixed.returncode == 1 and "b.py:2" in fixed.stdout and "a.py" not in fixed.stdout
    again = perf_assets("lint", "a.py", "--fix")
    assert again.returncode == 0 and "0 findings mended" in again.stderr
    refused = perf_assets("lint", "-", "--fix")
    assert refused.returncode == 2 and "are for files" in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "b.py"]
