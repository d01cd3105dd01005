"""How good the static checks are, by the verdicts of people: precision, and agreement of raters."""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.core.reviews.codebook import FINDING_VERDICTS
from perf_assets.core.reviews.rater_agreement import by_rater, kappas
from perf_assets.core.statistics.agreement import wilson_interval
from perf_assets.tables import schema_of

ALL_RULES = "all"
CONSENSUS = "consensus"
CONFIDENCE = 0.95

RIGHT, WRONG, UNSURE = FINDING_VERDICTS
SUBJECT = ["repository", "finding_id"]


def finding_precision(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Precision of the static checks by repository, rule and rater.

    Precision is the share judged ``right`` among the findings judged right or wrong; ``unsure`` is
    left out and counted. The consensus of a finding is what most of its raters say, and unsure
    where no verdict has the most.

    Parameters
    ----------
    verdicts : ``staging.finding_verdicts``: the verdict in force of each rater on each finding.

    Returns
    -------
    ``analysis.finding_precision``, estimates and Wilson's limits as percentages, by repository and
    pooled, by rule and for all.
    """
    judged = pl.concat(
        [verdicts.select(*SUBJECT, "rule", "rater", "verdict"), _consensus(verdicts)]
    )
    rows = [
        (repository, rule, rater, *_precision(of_rater.get_column("verdict")))
        for repository, here in _by_repository_and_pooled(judged)
        for rule in [ALL_RULES, *here.get_column("rule").unique().sort()]
        for of_rule in [here if rule == ALL_RULES else here.filter(rule=rule)]
        for (rater,), of_rater in sorted(of_rule.partition_by("rater", as_dict=True).items())
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.finding_precision"), orient="row")


def finding_agreement(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Cohen's kappa of any two raters and Fleiss' of three or more, over findings.

    Parameters
    ----------
    verdicts : as for :func:`finding_precision`.

    Returns
    -------
    ``analysis.finding_agreement``, by repository and pooled, over the findings that all of the
    raters judged; raters without such a finding have no row.
    """
    rows = [
        (repository, *row)
        for repository, here in _by_repository_and_pooled(verdicts)
        for row in kappas(by_rater(here.select("rater", *SUBJECT, "verdict")))
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.finding_agreement"), orient="row")


def _consensus(verdicts: pl.DataFrame) -> pl.DataFrame:
    """What most raters of each finding say, with the columns of what single ones say."""
    votes = verdicts.group_by(*SUBJECT, "rule", "verdict").agg(votes=pl.len())
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over(SUBJECT))
    return most.group_by(*SUBJECT, "rule").agg(
        rater=pl.lit(CONSENSUS),
        verdict=pl.when(pl.len() == 1).then(pl.col("verdict").first()).otherwise(pl.lit(UNSURE)),
    )


def _by_repository_and_pooled(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    groups = rows.partition_by("repository", as_dict=True)
    for (repository,), group in sorted(groups.items()):
        yield str(repository), group
    if groups:
        yield POOLED, rows


def _precision(verdicts: pl.Series) -> tuple[object, ...]:
    right, wrong, unsure = (int((verdicts == word).sum()) for word in FINDING_VERDICTS)
    share = wilson_interval(right, right + wrong, CONFIDENCE)
    limits = (None if one is None else 100.0 * one for one in (share.share, share.low, share.high))
    return (right + wrong, right, wrong, unsure, *limits, CONFIDENCE)
