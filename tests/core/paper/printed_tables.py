"""The declared papers with other printed rows, and the rows of their comparison by figure."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from perf_assets.core.paper.comparison import paper_comparison
from perf_assets.core.paper.printed import Paper
from perf_assets.schema import schema_of
from perf_assets.sources.replication.papers import papers

Rows = Iterable[Mapping[str, str]]
READ = (
    "marts.bug_metrics",
    "marts.paper_trend",
    "replication.taxonomy",
    "replication.problems",
    "marts.problem_distribution",
    "intermediate.question_groups",
    "intermediate.question_answer_times",
    "analysis.question_kind_quality",
)


def paper_with(study: str, **rows: Rows) -> Paper:
    """The paper with other rows of the tables that are named; a cell that is not given is empty."""
    paper = papers()[study]
    tables = dict(paper.tables)
    for name, printed in rows.items():
        (first, *_) = tables[name].rows or ({},)
        cells = tuple({**dict.fromkeys(first), **row} for row in printed)
        tables[name] = tables[name].model_copy(update={"rows": cells})
    return paper.model_copy(update={"tables": tables})


def comparison(paper: Paper, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The comparison of a paper, and of the others as declared, with ``tables`` and no others."""
    frames = {name: schema_of(name).to_frame() for name in READ} | {**tables}
    return paper_comparison({**papers(), paper.study: paper}, *frames.values())


def by_figure(paper: Paper, tables: Mapping[str, pl.DataFrame]) -> dict[str, dict[str, Any]]:
    """The rows of the comparison of a paper with ``tables``, by figure."""
    rows = comparison(paper, tables).filter(study=paper.study)
    assert rows["figure"].is_unique().all()
    return {row["figure"]: row for row in rows.iter_rows(named=True)}
