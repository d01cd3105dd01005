"""Compare the printed values of the papers with the same computed from their data."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

import polars as pl

from perf_assets.core.paper.challenges import challenges_tables
from perf_assets.core.paper.performance_bugs import DATASET, bug_tables, missing_data
from perf_assets.core.paper.printed import (
    BUGS,
    CHALLENGES,
    PROBLEMS,
    Cells,
    Column,
    Paper,
    PrintedTable,
    filled,
    reasons_for,
)
from perf_assets.core.paper.values import is_claim, number_of, verdict_of
from perf_assets.schema import schema_of

Tables: TypeAlias = Mapping[str, pl.DataFrame]
Key: TypeAlias = tuple[object, ...]
Facts: TypeAlias = Callable[[str], Mapping[str, object]]
"""What the data of a repository say of themselves in texts."""


def paper_comparison(
    papers: Mapping[str, Paper],
    bug_metrics: pl.DataFrame,
    trend: pl.DataFrame,
    taxonomy: pl.DataFrame,
    problems: pl.DataFrame,
    problem_distribution: pl.DataFrame,
    *of_questions: pl.DataFrame,
) -> pl.DataFrame:
    """Compare every printed value of the papers with the same computed from their data.

    Parameters
    ----------
    papers : the declarations of ``perf_assets/sources/replication/printed``.
    bug_metrics : ``marts.bug_metrics``; only the dataset ``replication`` is read.
    trend : ``marts.paper_trend``: published and reproduced counts of each month of Figure 1.
    taxonomy : ``replication.taxonomy``.
    problems : ``replication.problems``.
    problem_distribution : ``marts.problem_distribution``; only the dataset ``replication`` is read.
    of_questions : ``intermediate.question_groups``, ``intermediate.question_answer_times`` and
        ``analysis.question_kind_quality``: the study of challenges is compared with a forum.

    Returns
    -------
    ``analysis.paper_comparison``, study by study, in the order of each paper; no row of a study
    whose data are not there. Those of the study of challenges are not read: its values stand with
    those of the others, or with a forum. ``verdict`` is ``exact`` (the same number, or a
    claim that holds), ``within_rounding`` (the same when rounded to the printed digits),
    ``coincides`` (one of the two, but the counts that it is made of are others), ``differs`` or
    ``not_derivable``; ``reason`` says why, or what the value is of. Last come the values that a
    paper prints twice, or that follow from each other: one set against the other.
    """
    rows: list[tuple[object, ...]] = []
    bugs = bug_metrics.filter(dataset=DATASET)
    if not bugs.is_empty():
        table_2 = papers[BUGS].tables["table_2"].frame
        tables = bug_tables(table_2, bugs, trend, taxonomy)
        rows += compared(papers[BUGS], tables, partial(missing_data, bugs, taxonomy))
    if not problems.is_empty():
        distribution = problem_distribution.filter(dataset=DATASET)
        tables = {"problems": problems, "distribution": distribution}
        rows += compared(papers[PROBLEMS], tables, lambda _: {})
    groups, waits, quality = of_questions
    if rows or not groups.is_empty():
        tables, facts = challenges_tables(groups, waits, quality)
        rows += compared(papers[CHALLENGES], tables, lambda _: facts)
    return pl.DataFrame(rows, schema=schema_of("analysis.paper_comparison"), orient="row")


def compared(paper: Paper, tables: Tables, facts: Facts) -> Iterator[tuple[object, ...]]:
    """Compare each printed value of a paper with what its query computes from ``tables``."""
    printed = {f"printed_{name}": table.frame for name, table in paper.tables.items()}
    context = pl.SQLContext({**tables, **printed})
    for name, query in paper.queries.items():
        context.register(name, context.execute(query, eager=True))
    for name, table in paper.tables.items():
        columns = {column: table.column(column) for column in table.columns}
        computed = context.execute(table.query, eager=True) if table.query else pl.DataFrame()
        rows = dict(zip(_keys(table, computed), computed.rows(named=True), strict=True))
        for key, cells in _printed_rows(table, list(rows)):
            values: dict[str, object] = {**cells, **dict.fromkeys(computed.columns)}
            values |= rows.get(key, {}) | dict(zip(table.keys, key, strict=True))
            values |= {"table": name, "key": ".".join(map(str, key))}
            for column, about in columns.items():
                text = filled(about.printed, values) if about.printed else cells.get(column)
                if text is not None:
                    repository = about.repository.format_map(values)
                    named = {"column": column, "repository": repository, **facts(repository)}
                    row = _compared(about, text, values | named)
                    yield (paper.dataset, paper.study, *row)


def _printed_rows(table: PrintedTable, keys: list[Key]) -> Iterable[tuple[Key, Cells]]:
    """Return the printed rows of a table by their keys; without any, those of its query."""
    if table.rows is None:
        return [(key, {}) for key in keys]
    return zip(_keys(table, table.frame), table.rows, strict=True)


def _keys(table: PrintedTable, rows: pl.DataFrame) -> list[Key]:
    return [tuple(row[key] for key in table.keys) for row in rows.iter_rows(named=True)]


def _compared(about: Column, text: str, values: Mapping[str, Any]) -> tuple[object, ...]:
    """Compare a value that is printed as ``text``; return its row, from the figure on."""
    gap, behind, note = (filled(texts, values) for texts in (about.gap, about.behind, about.note))
    reproduced: Any = values.get(about.value or values["column"])
    if gap is None and reproduced is None:
        gap = "the loaded data have no such value"
    verdict, remark, value, difference = "not_derivable", gap, None, None
    if gap is None:
        value = float(number_of(reproduced) if isinstance(reproduced, str) else reproduced)
        difference = None if is_claim(text) else value - float(number_of(text))
        verdict, remark = verdict_of(text, value), note
        if verdict == "differs":
            reasons = reasons_for(about.reason, value - float(number_of(text)))
            remark = filled(reasons, values) or "no reason found"
        elif behind is not None:
            verdict, remark = "coincides", behind
    return (
        filled((about.figure,), values),
        filled((about.location,), values),
        values["repository"],
        filled((about.quantity,), values),
        text,
        float(number_of(text)),
        value,
        difference,
        verdict,
        remark,
    )
