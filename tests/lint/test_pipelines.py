"""What is found of pipelines is what happens when the program runs."""

import ast
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.linter import check
from perf_assets.lint.rules import named

RULES = named(["map-before-batch", "sequential-map"])
NAMES = st.sampled_from(("a", "b", "box.held", "kept['x']", "pair[1]"))
METHODS = st.sampled_from(
    (
        ".map(f)",
        ".map(f, 2)",
        ".map(f, num_parallel_calls=n)",
        ".map(f, **options)",
        ".map_with_legacy_function(f)",
        ".interleave(f, 1, 1)",
        ".interleave(f, 1, 1, 2)",
        ".batch(2)",
        ".padded_batch(2)",
        ".shuffle(9).repeat()",
        ".unbatch()",
        ".prefetch(n)",
        ".apply(mapped)",
        ".apply(batched)",
    )
)
HELPERS = st.sampled_from(("mapped", "batched", "both", "same"))
STATEMENTS = st.one_of(
    st.tuples(NAMES, NAMES, st.lists(METHODS, max_size=3)).map(
        lambda parts: f"{parts[0]} = {parts[1]}{''.join(parts[2])}"
    ),
    st.tuples(NAMES, HELPERS, NAMES).map(lambda parts: f"{parts[0]} = {parts[1]}({parts[2]})"),
    st.tuples(NAMES, NAMES).map(lambda parts: f"{parts[0]}, {parts[1]} = {parts[1]}, {parts[0]}"),
    st.sampled_from(
        (
            "series = series.map(f).batch(2)",
            "a = tf.data.Dataset.zip((a, b))",
            "b = a.concatenate(b)",
            "kept = {'x': a, 'y': b}",
            "pair = [a, b]",
            "pair = [b, a]",
            "b = tf.data.TFRecordDataset(files)",
        )
    ),
)
HEAD = """\
import tensorflow as tf
from frames import Series, f, files, n, options
class Box: pass
def mapped(ds): return ds.map(f)
def batched(ds): return ds.batch(4)
def both(ds): return batched(mapped(ds))
def same(ds): return ds
box, series = Box(), Series()
a, b = tf.data.Dataset.range(9), tf.data.Dataset.from_tensors(1)
box.held, kept, pair = a, {'x': b}, [a, b]
"""


@dataclass
class Seen:
    """What happened: lines of what ran on one core, and of what a batch followed."""

    sequential: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Pipeline:
    """Stands in for a dataset of `tf.data`."""

    seen: Seen
    maps: frozenset[int] = frozenset()
    is_batched: bool = False

    def call(
        self, name: str, line: int, args: tuple[Any, ...], words: dict[str, Any]
    ) -> "Pipeline":
        """What a method does."""
        position = {"map": 1, "map_with_legacy_function": 1, "interleave": 3}.get(name)
        parallel = position is None or len(args) > position or "num_parallel_calls" in words
        if not parallel:
            self.seen.sequential.add(line)
        if name in ("map", "map_with_legacy_function"):
            return self if self.is_batched else replace(self, maps=self.maps | {line})
        if name in ("batch", "padded_batch"):
            if name == "batch":  # what is padded was prepared one by one
                self.seen.late |= self.maps
            return Pipeline(self.seen, is_batched=True)
        if name == "unbatch":
            return Pipeline(self.seen)
        if name == "interleave":
            return Pipeline(self.seen, is_batched=self.is_batched)
        if name == "apply":
            made: Pipeline = args[0](self)
            return made
        return self if name != "concatenate" else joined(self, args[0])


def joined(*ways: Pipeline) -> Pipeline:
    """A pipeline of several."""
    maps = frozenset[int]().union(*(one.maps for one in ways))
    return Pipeline(ways[0].seen, maps, any(one.is_batched for one in ways))


class Series:
    """Stands in for what has a `map` of its own."""

    def call(self, name: str, line: int, args: tuple[Any, ...], words: dict[str, Any]) -> "Series":
        """Nothing that matters."""
        return self


class Calls(ast.NodeTransformer):
    """Methods are called through `call`, with the line on which they stand; imports go."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        func = node.func
        if not isinstance(func, ast.Attribute) or ast.unparse(func).startswith("tf."):
            return node
        words = ast.Dict(
            [ast.Constant(word.arg) if word.arg else None for word in node.keywords],
            [word.value for word in node.keywords],
        )
        given = ast.Tuple(node.args, ast.Load())
        func.value = ast.Attribute(func.value, "call", ast.Load())
        name, line = ast.Constant(func.attr), ast.Constant(func.end_lineno)
        return ast.copy_location(ast.Call(func.value, [name, line, given, words], []), node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)


class TensorFlow:
    """Stands in for what the programs use of it."""

    def __init__(self, seen: Seen) -> None:
        source = staticmethod(lambda *_: Pipeline(seen))
        zipped = staticmethod(lambda parts: joined(*parts))
        made = {"range": source, "from_tensors": source, "zip": zipped}
        dataset = type("Dataset", (), made)
        self.data = type("Data", (), {"Dataset": dataset, "TFRecordDataset": source})


def run(text: str) -> Seen:
    """What happens in a program."""
    seen = Seen()
    tree = ast.fix_missing_locations(Calls().visit(ast.parse(text)))
    given = {"f": None, "files": [], "n": 2, "options": {"num_parallel_calls": 2}}
    exec(compile(tree, "program", "exec"), {"tf": TensorFlow(seen), "Series": Series, **given})
    return seen


@given(st.lists(STATEMENTS, max_size=8))
def test_findings_are_what_happens(statements: list[str]) -> None:
    text = HEAD + "\n".join(statements) + "\n"
    found = check(text, "program.py", RULES)
    seen = run(text)
    helpers = HEAD[: HEAD.index("box, series")].count("\n")  # may be found where nobody calls them
    by_rule = {
        rule: {one.line for one in found if one.rule == rule and one.line > helpers}
        for rule in ("sequential-map", "map-before-batch")
    }
    assert by_rule["sequential-map"] == {line for line in seen.sequential if line > helpers}, text
    assert by_rule["map-before-batch"] == {line for line in seen.late if line > helpers}, text
