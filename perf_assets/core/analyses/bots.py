"""How far the metrics of discussion depend on bots, which the paper counted as persons."""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.effects import compare_bugs, comparison_text
from perf_assets.core.analyses.group_samples import by_repository_and_pooled
from perf_assets.schema import schema_of

DISCUSSED = ("comments", "commentators", "hours_to_first_comment")
"""The metrics that bots take part in; ``marts.bug_metrics`` has each also as ``..._with_bots``."""

LEFT_OUT, COUNTED = "left_out", "counted"


def bot_sensitivity(bug_metrics: pl.DataFrame) -> pl.DataFrame:
    """Compare performance with other bugs in the comments on them, without bots and with them.

    Parameters
    ----------
    bug_metrics : ``marts.bug_metrics``: dataset, repository, is_performance, is_fixed,
        has_author_types, and each of :data:`DISCUSSED` without bots and, as ``..._with_bots``, with
        them.

    Returns
    -------
    ``analysis.bot_sensitivity``: for each dataset, repository (and pooled) and metric two rows,
    bots left out before bots counted. Where the types of accounts are unknown the two are the
    same, and what bots did is NULL.
    """
    rows = [
        (dataset, repository, metric, bots, method, *presence, *row)
        for dataset, repository, bugs in by_repository_and_pooled(bug_metrics)
        for presence in [_presence(bugs)]
        for metric in DISCUSSED
        for bots, method, row in _rows(bugs, metric, presence)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.bot_sensitivity"), orient="row")


Presence = tuple[int, int, int | None, float | None, int | None, int | None]


def _presence(bugs: pl.DataFrame) -> Presence:
    """For how many bug reports the account types are known, and the activity of bots on those."""
    classified = bugs.filter("has_author_types")
    if classified.is_empty():
        return bugs.height, 0, None, None, None, None
    joined = int((classified["commentators_with_bots"] > classified["commentators"]).sum())
    comments = int(classified["comments_with_bots"].sum())
    of_bots = comments - int(classified["comments"].sum())
    return bugs.height, classified.height, joined, joined / classified.height, comments, of_bots


def _rows(
    bugs: pl.DataFrame, metric: str, presence: Presence
) -> Iterator[tuple[str, str, tuple[object, ...]]]:
    with_bots = bugs.with_columns(pl.col(f"{metric}_with_bots").alias(metric))
    for bots, chosen in ((LEFT_OUT, bugs), (COUNTED, with_bots)):
        method, found = compare_bugs(chosen, metric)
        text = comparison_text(found)
        n = found.n_performance + found.n_other
        yield bots, method, (n, *found, f"{_premise(bots, presence)}: {text}")


def _premise(bots: str, presence: Presence) -> str:
    n, n_classified, joined, share, comments, of_bots = presence
    if share is None:
        return "types of accounts not known, bots count as persons"
    beside = "" if n_classified == n else f", types known of {n_classified:,} of {n:,} bug reports"
    if bots == LEFT_OUT:
        return f"without bots{beside}"
    return (
        f"with bots (they comment on {joined:,} of {n_classified:,} bug reports, "
        f"{100 * share:.1f} %, and wrote {of_bots:,} of {comments:,} comments{beside})"
    )
