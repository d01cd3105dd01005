"""How far fix time and fix size can be trusted: both again without doubtful links."""

from collections.abc import Iterator, Sequence
from functools import cache

import polars as pl

from perf_assets.core.analyses.effects import compare_bugs, comparison_text, in_clusters
from perf_assets.core.analyses.formatting import as_json
from perf_assets.core.analyses.group_samples import Comparison, by_repository_and_pooled
from perf_assets.core.analyses.incidence import DAY
from perf_assets.schema import schema_of

_opened, _closed = pl.col("opened_at"), pl.col("closed_at")

DOUBTFUL_LINKS = (
    "issue_number_below_100",
    "written_a_day_before_report",
    "commit_90_days_after_close",
    "commit_serves_five_bugs",
    "fix_of_50_commits",
    "changes_no_line",
    "reverted_later",
)
"""The doubts of ``intermediate.link_warnings`` that links are left out for, where each is
explained.

That a commit is a revert itself is not among them: what it takes back may have been the bug.
"""


def link_sensitivity(links: pl.DataFrame) -> pl.DataFrame:
    """Fix time and fix size again, without the links there is reason to doubt.

    Parameters
    ----------
    links : ``intermediate.counted_links``, the counted links between bug reports and commits:
        dataset, repository, number, sha, is_performance, opened_at, closed_at (NULL when open),
        additions, deletions, doubts (a list of names). A pair that is there several times counts
        once.

    Returns
    -------
    ``analysis.link_sensitivity``: for each dataset, repository
    (and pooled) and metric (fix_time_days, fix_size) nine rows: with all links, without those of
    each doubt of :data:`DOUBTFUL_LINKS`, and without those of any of them (``left_out`` in
    ``parameters``). ``links`` counts what there is and ``links_left_out`` what the row does
    without; the other columns are those of ``analysis.group_comparisons``, over the closed bugs
    that keep a link.
    """
    pairs = links.unique(["dataset", "repository", "number", "sha"], maintain_order=True)
    selections = [[], *([doubt] for doubt in DOUBTFUL_LINKS), list(DOUBTFUL_LINKS)]
    rows = [
        (dataset, repository, *row)
        for dataset, repository, of_repository in by_repository_and_pooled(pairs)
        for row in _sensitivity_rows(of_repository, selections)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.link_sensitivity"), orient="row")


def _sensitivity_rows(
    links: pl.DataFrame, selections: Sequence[list[str]]
) -> Iterator[tuple[object, ...]]:
    doubts = pl.col("doubts").list
    is_kept = [
        links.with_columns(
            kept=~pl.any_horizontal(pl.lit(value=False), *map(doubts.contains, left_out))
        )["kept"]
        for left_out in selections
    ]

    @cache
    def bugs(kept: tuple[bool, ...]) -> pl.DataFrame:
        chosen = links.filter(pl.Series(kept, dtype=pl.Boolean))
        return in_clusters(_fixes(chosen), chosen)

    @cache  # most doubts are of no link of a small repository: what is kept is the same
    def compared(kept: tuple[bool, ...], metric: str) -> tuple[str, Comparison]:
        return compare_bugs(bugs(kept), metric)

    for metric in ("fix_time_days", "fix_size"):
        for left_out, kept in zip(selections, is_kept, strict=True):
            method, found = compared(tuple(kept), metric)
            n, n_left_out = links.height, links.height - int(kept.sum())
            yield (
                *(metric, method, as_json(left_out=left_out), n, n_left_out),
                *(found.n_performance + found.n_other, *found),
                f"without {n_left_out} of {n} links: {comparison_text(found)}",
            )


def _fixes(links: pl.DataFrame) -> pl.DataFrame:
    """Return each closed bug with a link, its fix time in days and the size of its fix."""
    size = pl.col("additions") + pl.col("deletions")
    fix_time = (_closed - _opened).dt.total_microseconds() / DAY
    return (
        links.filter(_closed.is_not_null())
        .group_by("dataset", "repository", "number", maintain_order=True)
        .agg(
            pl.col("is_performance").first(),
            fix_time_days=fix_time.first(),
            fix_size=pl.when(size.count() == pl.len()).then(size.sum()),
        )
        .with_columns(is_fixed=pl.lit(value=True))
    )
