"""The paper's figures against the same computed from its published data, with a verdict on each.

The published values come as they are printed: their digits say how far a reproduced value may be
off. Each function makes the rows of one table, figure or section of the paper.
"""

import polars as pl

from perf_assets.core.paper.counts import section_3, table_1
from perf_assets.core.paper.figures import DATASET, Data, PaperTables
from perf_assets.core.paper.table_2 import table_2
from perf_assets.core.paper.table_3 import table_3, taxonomy_as_a_whole
from perf_assets.core.paper.trends import cox_stuart_tests, figure_1
from perf_assets.tables import schema_of


def paper_comparison(
    published: PaperTables, bug_metrics: pl.DataFrame, trend: pl.DataFrame, taxonomy: pl.DataFrame
) -> pl.DataFrame:
    """Every figure of the paper that is known, as published and as reproduced.

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

    Returns
    -------
    ``analysis.paper_comparison``, in the order of the paper; no
    row without replication data. ``verdict`` is ``exact`` (the same number, or a claim that
    holds), ``within rounding`` (the same when rounded to the printed digits), ``differs`` or
    ``not derivable``; ``reason`` says why, or what the value is of.
    """
    bugs = bug_metrics.filter(pl.col("dataset") == DATASET)
    if bugs.is_empty():
        return schema_of("analysis.paper_comparison").to_frame()
    data = Data(bugs, trend, taxonomy)
    rows = [
        *table_1(published["table_1"], data),
        *section_3(published["section_3"], data),
        *cox_stuart_tests(published["cox_stuart"], data),
        *figure_1(published["figure_1"], data),
        *table_2(published["table_2"], data),
        *taxonomy_as_a_whole(published["taxonomy"], data),
        *table_3(published["table_3"], data),
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.paper_comparison"), orient="row")
