"""The papers' figures against the same computed from their data, with a verdict on each.

The published values come as they are printed: their digits say how far a reproduced value may be
off. Each function makes the rows of one table, figure or section of the paper.
"""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.paper.challenges import challenges_figures
from perf_assets.core.paper.counts import section_3, table_1
from perf_assets.core.paper.examples import example_issues
from perf_assets.core.paper.figures import DATASET, Data, PaperTables
from perf_assets.core.paper.paper_consistency import paper_consistency
from perf_assets.core.paper.problems import problem_figures
from perf_assets.core.paper.table_2 import table_2
from perf_assets.core.paper.table_3 import table_3, taxonomy_as_a_whole
from perf_assets.core.paper.trends import cox_stuart_tests, figure_1
from perf_assets.schema import schema_of


def paper_comparison(
    published: PaperTables,
    bug_metrics: pl.DataFrame,
    trend: pl.DataFrame,
    taxonomy: pl.DataFrame,
    problems: pl.DataFrame,
    problem_distribution: pl.DataFrame,
    *of_questions: pl.DataFrame,
) -> pl.DataFrame:
    """Every known figure of the papers, as published and as reproduced.

    Parameters
    ----------
    published
        The tables of the file of published values, see ``paper_figures.toml``.
    bug_metrics
        ``marts.bug_metrics``; only the dataset ``replication`` is read.
    trend
        ``marts.paper_trend``: published and reproduced counts of each month of Figure 1.
    taxonomy
        ``replication.taxonomy``.
    problems
        ``replication.problems``.
    problem_distribution
        ``marts.problem_distribution``; only the dataset ``replication`` is read.

    of_questions
        ``intermediate.question_groups``, ``intermediate.question_answer_times`` and
        ``analysis.question_kind_quality``: the study of challenges is compared with a forum.

    Returns
    -------
    ``analysis.paper_comparison``, study by study, in the order of each paper; no row of a study
    whose data are not there. Those of the study of challenges are not read: its figures stand with
    those of the others, or with a forum. ``verdict`` is ``exact`` (the same number, or a
    claim that holds), ``within_rounding`` (the same when rounded to the printed digits),
    ``coincides`` (one of the two, but the counts that it is made of are others), ``differs`` or
    ``not_derivable``; ``reason`` says why, or what the value is of. Last come the figures that the
    paper gives twice, or that follow from each other: one set against the other.
    """
    rows: list[tuple[object, ...]] = []
    bugs = bug_metrics.filter(pl.col("dataset") == DATASET)
    if not bugs.is_empty():
        rows += _bug_figures(published, Data(bugs, trend, taxonomy))
    if not problems.is_empty():
        distribution = problem_distribution.filter(pl.col("dataset") == DATASET)
        rows += problem_figures(published["problems"], problems, distribution)
    groups, waits, quality = of_questions
    if rows or not groups.is_empty():
        rows += challenges_figures(published["challenges"], groups, waits, quality)
    return pl.DataFrame(rows, schema=schema_of("analysis.paper_comparison"), orient="row")


def _bug_figures(published: PaperTables, data: Data) -> Iterator[tuple[object, ...]]:
    yield from table_1(published["table_1"], data)
    yield from section_3(published["section_3"], data)
    yield from cox_stuart_tests(published["cox_stuart"], data)
    yield from figure_1(published["figure_1"], data)
    yield from table_2(published["table_2"], data)
    yield from taxonomy_as_a_whole(published["taxonomy"], data)
    yield from table_3(published["table_3"], data)
    yield from example_issues(published["examples"], data)
    yield from paper_consistency(published, data)
