"""One module checked: places, contexts, severities, and what must not matter."""

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.findings import Context, Finding, Severity, Unreadable
from perf_assets.lint.linter import DEFAULT, check
from perf_assets.lint.rules import REPORTED, RULES, named


def found(text: str, path: str = "package/module.py") -> list[Finding]:
    """What the default rules find in a text."""
    return check(textwrap.dedent(text), path)


MAPPED = """
import tensorflow as tf
dataset = (
    tf.data.Dataset.range(9)
    .map(parse)
)
"""
GRAPH = """
import tensorflow as tf
@tf.function
def step(n):
    for i in range(n):
        total = tf.zeros([3])
    return total
"""


def test_a_finding_stands_where_the_call_says_its_name() -> None:
    (one,) = found(MAPPED)
    assert (one.line, one.column, one.end_line, one.end_column) == (5, 6, 5, 16)


def test_columns_are_characters() -> None:
    (one,) = found('import tensorflow as tf\nx = "äöü", tf.data.Dataset.range(9).map(f)\n')
    line = 'x = "äöü", tf.data.Dataset.range(9).map(f)'
    assert line[one.column - 1 :].startswith("tf.data")
    assert one.end_column - 1 == len(line)


def test_a_form_feed_is_not_an_end_of_a_line() -> None:
    (one,) = found('import tensorflow as tf\nx = "\x0c"; y = tf.data.Dataset.range(9).map(f)\n')
    assert one.line == 2
    assert one.column == 14


@pytest.mark.parametrize(
    ("path", "context"),
    (
        ("package/module.py", Context.LIBRARY),
        ("package/example_encoding.py", Context.LIBRARY),  # of tf.train.Example
        ("package/contest.py", Context.LIBRARY),
        ("tests/module.py", Context.TEST),
        ("package/module_test.py", Context.TEST),
        ("package/test_module.py", Context.TEST),
        ("examples/module.py", Context.EXAMPLE),
        ("package/tutorials/module.py", Context.EXAMPLE),
        ("package/mnist_demo.py", Context.EXAMPLE),
        ("package/module.ipynb", Context.EXAMPLE),
    ),
)
def test_library_examples_and_tests_are_distinguished_by_path(path: str, context: Context) -> None:
    (one,) = found(MAPPED, path)
    assert one.context is context
    assert (one.severity is Severity.WARNING) == (context is Context.LIBRARY)


def test_a_module_that_imports_what_tests_import_is_a_test() -> None:
    (one,) = found("import unittest\n" + textwrap.dedent(MAPPED))
    assert one.context is Context.TEST


@pytest.mark.parametrize(
    "graph",
    (
        GRAPH,
        GRAPH.replace("@tf.function\n", "x = tf.compat.v1.placeholder(1)\n"),
        GRAPH.replace("@tf.function\ndef step(n)", "class A(tf.keras.Model):\n  def call(self, n)"),
        GRAPH.replace("@tf.function\n", "@tf.function(jit_compile=True)\n"),
    ),
)
def test_what_adds_nodes_is_a_warning(graph: str) -> None:
    assert [one.severity for one in found(graph)] == [Severity.WARNING]


def test_what_is_computed_at_once_is_a_note() -> None:
    assert [one.severity for one in found(GRAPH.replace("@tf.function\n", ""))] == [Severity.NOTE]


IMPORTS = (
    ("import tensorflow as tf", "tf"),
    ("import tensorflow", "tensorflow"),
    ("import tensorflow.compat.v1 as tf", "tf"),
    ("from tensorflow.compat import v1 as t", "t"),
    ("import tensorflow.compat.v2 as tf", "tf"),
    (
        "try:\n    import tensorflow.compat.v1 as tf\n"
        "except ImportError:\n    import tensorflow as tf",
        "tf",
    ),
    ("import tensorflow as core\ntf = core", "tf"),
    ("from helpers import *", "tf"),
)


@given(st.sampled_from(IMPORTS))
def test_how_tensorflow_is_imported_does_not_matter(how: tuple[str, str]) -> None:
    statement, name = how
    body = (
        "\ndef build(n):\n    for i in range(n):\n        NAME.zeros([3])\n"
        "    return NAME.data.Dataset.range(n).map(f).batch(2)\n"
    )
    text = statement + body.replace("NAME", name)
    first = text[: text.index("def build")].count("\n")
    places = {(one.line - first, one.rule) for one in check(text, "module.py")}
    assert places == {(3, "loop-invariant-op"), (4, "sequential-map"), (4, "map-before-batch")}


PARTS = (
    "def first(n):\n    for i in range(n):\n        second(i)\n",
    "def second(i):\n    third(4)\n    tf.fill([i], 0)\n",
    "def third(k):\n    return tf.ones([k])\n",
    "def pipeline():\n    return source().map(parse)\n",
    "def source():\n    return tf.data.TFRecordDataset(files)\n",
    "batched = pipeline().batch(3)\n",
    "class Data:\n    def __init__(self):\n        self.ds = source().map(parse)\n"
    "    def all(self):\n        return self.ds.batch(8)\n",
)


@given(st.permutations(PARTS[:5] + PARTS[6:]))
def test_the_order_of_definitions_does_not_matter(parts: list[str]) -> None:
    text = "import tensorflow as tf\n" + "".join(parts) + PARTS[5]
    lines = text.split("\n")
    got = sorted((one.rule, lines[one.line - 1].strip()) for one in check(text, "module.py"))
    assert got == [
        ("loop-invariant-op", "return tf.ones([k])"),
        ("map-before-batch", "return source().map(parse)"),
        ("map-before-batch", "self.ds = source().map(parse)"),
        ("sequential-map", "return source().map(parse)"),
        ("sequential-map", "self.ds = source().map(parse)"),
    ]


@pytest.mark.slow
@given(st.text(max_size=200))
def test_any_text_is_checked_or_refused(text: str) -> None:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        with pytest.raises(Unreadable):
            check(text, "module.py")
    else:
        assert check(text, "module.py") == []


def test_python_two_is_distinguished_from_a_mistake() -> None:
    with pytest.raises(Unreadable) as old:
        check("import tensorflow\nprint 'x'\n", "module.py")
    with pytest.raises(Unreadable) as broken:
        check("import tensorflow\nx = = 2\n", "module.py")
    assert (old.value.reason, broken.value.reason) == ("python_2", "syntax")


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(Unreadable) as deep:
        check("import tensorflow\nx = " + "-" * 3000 + "1\n", "module.py")
    assert deep.value.reason == "depth"


def test_rules_are_named_by_name_code_and_the_beginning_of_a_code() -> None:
    assert named(["all"]) == REPORTED
    assert [rule.code for rule in named(["PA10"])] == [f"PA10{number}" for number in range(1, 7)]
    assert DEFAULT == RULES
    assert [rule.name for rule in named(["tor", "sequential-map"])] == [
        "sequential-map",
        "loader-without-workers",
        "zero-grad-to-zero",
    ]
    with pytest.raises(KeyError, match="PA999"):
        named(["PA101", "PA999"])
