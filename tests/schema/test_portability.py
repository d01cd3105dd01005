"""One text for every engine: what DuckDB alone understands, or sqlglot says wrongly, is refused.

That the engines agree on rows is for tests/engines; here it is said what to write instead.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from sqlglot import exp, parse_one

from perf_assets.base.paths import models_dir
from perf_assets.schema.models.transpiling import NAMES

FILES = sorted([*models_dir().glob("*.sql"), *models_dir().glob("*/*.sql")])


def _calls(*names: str) -> Callable[[exp.Expr], bool]:
    return lambda node: isinstance(node, exp.Anonymous) and node.name.lower() in names


def _is_decimal(node: exp.Expr | None) -> bool:
    if not isinstance(node, exp.Literal) or node.is_string:
        return False
    return "." in node.name and "e" not in node.name.lower()


# What is refused, and what to write instead.
INSTEAD: Mapping[str, Callable[[exp.Expr], bool]] = {
    "list_transform(list, lambda x: ...) and list_filter(list, lambda x: ...)": lambda node: (
        isinstance(node, exp.Comprehension)
    ),
    "list_sort(list(x)), as sqlglot drops the order without a word": lambda node: (
        isinstance(node, exp.ArrayAgg) and node.find(exp.Order) is not None
    ),
    "n * interval 1 second": _calls("to_seconds", "to_minutes", "to_hours", "to_days"),
    "epoch_us(later) - epoch_us(earlier), as date_diff takes twenty times as long": lambda node: (
        isinstance(node, exp.DateDiff) and "SECOND" in node.text("unit").upper()
    ),
    "every column of the GROUP BY": lambda node: (
        isinstance(node, exp.Group) and bool(node.args.get("all"))
    ),
    "a whole number, or one with an exponent (100, 1e2)": lambda node: (
        isinstance(node, exp.Mul | exp.Div)
        and (_is_decimal(node.this) or _is_decimal(node.expression))
    ),
    "unnest(list) in the SELECT list of a step of its own": lambda node: (
        isinstance(node, exp.Unnest) and isinstance(node.parent, exp.From | exp.Join | exp.Lateral)
    ),
    "the column of USING without a table before it": lambda node: (
        isinstance(node, exp.Column) and bool(node.table) and node.name in _shared(node)
    ),
    "a function that sqlglot knows, or a rule for it in perf_assets/schema/models/transpiling.py": (
        lambda node: isinstance(node, exp.Anonymous) and node.name.lower() not in NAMES
    ),
}


def _shared(column: exp.Column) -> set[str]:
    """The columns of the USINGs of the SELECT in which ``column`` stands."""
    select = column.parent_select
    joins = select.args.get("joins") or [] if select is not None else []
    return {name.name for join in joins for name in join.args.get("using") or []}


def breaches(text: str) -> Iterator[str]:
    """What of ``text`` is not portable, and what to write instead."""
    for node in parse_one(text, dialect="duckdb").walk():
        for instead, is_refused in INSTEAD.items():
            if is_refused(node):
                yield f"{node.sql(dialect='duckdb')}: write {instead}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_model_is_spelt_for_every_engine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [f"{path.relative_to(models_dir())}: {breach}" for breach in breaches(text)] == []


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("select [x + 1 for x in xs] from t", "list_transform"),
        ("select list(x order by x) from t", "list_sort"),
        ("select at + to_seconds(n) from t", "interval 1 second"),
        ("select date_diff('second', opened, closed) from t", "epoch_us"),
        ("select x, count(*) from t group by all", "GROUP BY"),
        ("select 100.0 * n / m from t", "exponent"),
        ("select y from t cross join unnest(t.ys) as u(y)", "SELECT list"),
        ("select a.x from a semi join b using (x)", "without a table"),
        ("select list_zip(xs, ys) from t", "sqlglot knows"),
    ],
)
def test_what_is_not_portable_is_reported_with_what_to_write_instead(
    text: str, instead: str
) -> None:
    (breach, *_) = breaches(text)
    assert instead in breach
