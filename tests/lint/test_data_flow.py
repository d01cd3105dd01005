"""What is called the same in every iteration is the same when the program runs."""

import ast
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.linter import check
from perf_assets.lint.rules import named

NAMES = ("a", "b", "c", "i", "j", "x")
RULE = named(["loop-invariant-op"])

expressions = st.recursive(
    st.sampled_from((*NAMES, "1", "2", "len(seen)", "box.held", "twice(a)", "self_made()"))
    | st.sampled_from(NAMES).map(lambda name: f"abs({name})"),
    lambda inner: st.tuples(inner, st.sampled_from("+-"), inner).map(lambda p: f"({''.join(p)})"),
    max_leaves=3,
)
calls = expressions.map(lambda value: [f"tf.zeros({value})"])
assignments = st.tuples(st.sampled_from(NAMES[:3]), st.sampled_from(("=", "+=")), expressions).map(
    lambda parts: [" ".join(parts)]
)
changes = st.sampled_from(
    (
        ["seen.append(1)"],
        ["box.held = a"],
        ["box.held += 1"],
        ["grow(box)"],
        ["a, b = b, a"],
        ["c = [k for k in range(a % 5)][-1:]", "c = len(c)"],
    )
)


def indented(lines: list[str]) -> list[str]:
    """A block."""
    return [f"    {line}" for line in lines]


def compound(blocks: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """Statements with blocks."""
    bodies = st.lists(blocks, min_size=1, max_size=3).map(
        lambda many: [x for one in many for x in one]
    )
    heads = st.one_of(
        st.tuples(st.sampled_from(NAMES), st.integers(-1, 3)).map(lambda p: f"if {p[0]} > {p[1]}:"),
        st.sampled_from(
            ("if i == 2:", "if i:", "if j != 1:", "for j in range(2):", "if x is None:")
        ),
    )
    plain = st.tuples(heads, bodies).map(lambda parts: [parts[0], *indented(parts[1])])
    both = st.tuples(heads.filter(lambda head: head.startswith("if")), bodies, bodies).map(
        lambda parts: [parts[0], *indented(parts[1]), "else:", *indented(parts[2])]
    )
    return plain | both


blocks = st.recursive(st.one_of(calls, assignments, changes), compound, max_leaves=6)
bodies = st.lists(blocks, min_size=1, max_size=6).map(lambda many: [x for one in many for x in one])
LOOPS = ("for i in range(12):", "while next_i():")


def program(body: list[str], loop: str, given: str = "3") -> str:
    """A program around the body of a loop, which calls a function at its end."""
    return "\n".join(
        (
            "import tensorflow as tf",
            "def twice(p):",
            "    return p + p",
            "def self_made():",
            "    made.append(1)",
            "    return len(made)",
            "def grow(p):",
            "    p.held = p.held + 1",
            "def in_loop(p):",
            "    q = p + 1",
            "    tf.zeros(q)",
            "    tf.zeros(box.held)",
            "    tf.zeros(a)",
            "    tf.zeros(len(seen))",
            "    if p == 2:",
            "        q = 7",
            "    tf.zeros(q)",
            "a, b, c, i, j, x = 1, 2, 3, 0, 0, None",
            "x = 4",
            "seen, made = [], []",
            "box = Box()",
            "def next_i():",
            "    global i",
            "    i = i + 1",
            "    return i < 12",
            loop,
            *indented(body),
            f"    in_loop({given})",
        )
    )


class Tensors:
    """Stands in for TensorFlow: notes what each line of the program asks for."""

    def __init__(self) -> None:
        self.requested: dict[int, list[object]] = defaultdict(list)

    def zeros(self, value: object, line: int) -> None:
        """Note a call."""
        self.requested[line].append(value)


class Box:
    """An object with an attribute."""

    held = 5


class Numbered(ast.NodeTransformer):
    """Each call of `tf.zeros` says its line; the import goes."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "zeros":
            node.args.append(ast.Constant(node.lineno))
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)


def run(text: str) -> dict[int, list[object]]:
    """What each line asked for while the program ran."""
    tensors = Tensors()
    tree = ast.fix_missing_locations(Numbered().visit(ast.parse(text)))
    names: dict[str, Any] = {"tf": tensors, "Box": Box}
    exec(compile(tree, "program", "exec"), names)
    return tensors.requested


@pytest.mark.slow
@given(bodies, st.sampled_from(LOOPS), st.sampled_from(("3", "b", "a + 1", "i", "p")))
def test_what_is_found_never_changes_while_the_loop_runs(
    body: list[str], loop: str, value: str
) -> None:
    text = "p = 2\n" + program(body, loop, value)
    found = {one.line for one in check(text, "program.py", RULE)}
    requested = run(text)
    for line in found:
        assert len(set(map(repr, requested[line]))) <= 1, f"line {line}: {requested[line]}\n{text}"


@pytest.mark.slow
@given(
    st.lists(blocks, max_size=4), st.sampled_from(("n", "n + 1", "abs(n)", "[n, 3]", "box.kept"))
)
def test_what_nothing_touches_is_found_whatever_stands_around_it(
    around: list[list[str]], value: str
) -> None:
    body = [line for one in around for line in one]
    text = "n = 3\n" + program([*body, f"tf.zeros({value})"], LOOPS[0])
    last = text.count("\n")
    assert last in {one.line for one in check(text, "program.py", RULE)}
