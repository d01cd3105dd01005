"""How often findings of static checks and endorsements are right, by the verdicts of people."""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.group_samples import CONFIDENCE, POOLED, groups_of, percent
from perf_assets.core.reviews.codebook import FINDING_VERDICTS
from perf_assets.core.reviews.rater_agreement import (
    AGREED,
    ENDORSEMENT,
    by_rater,
    endorsement_verdicts_in_force,
    kappas,
)
from perf_assets.core.statistics.agreement import wilson_interval
from perf_assets.schema import schema_of

ALL = "all"
CONSENSUS = "consensus"

UNSURE = FINDING_VERDICTS[-1]
FINDING = ["repository", "finding_id"]


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
    judged = _with_consensus(verdicts, FINDING, "rule")
    rows = [
        (repository, *row)
        for repository, here in _by_repository_and_pooled(judged)
        for row in _precisions(here, "rule")
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
        for row in kappas(by_rater(here.select("rater", *FINDING, "verdict")))
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.finding_agreement"), orient="row")


def endorsement_precision(verdicts: pl.DataFrame, endorsements: pl.DataFrame) -> pl.DataFrame:
    """Precision of the rule for endorsed answers by forum, kind of endorsement and rater.

    The measure is that of :func:`finding_precision`.

    Parameters
    ----------
    verdicts : ``reviews.endorsement_verdicts``.
    endorsements : columns forum, comment_id, endorsement of ``intermediate.question_endorsements``:
        verdicts on other comments, which the rule does not take any more, tell nothing of it.

    Returns
    -------
    ``analysis.endorsement_precision``, estimates and Wilson's limits as percentages, by kind and
    for all.
    """
    in_force = endorsement_verdicts_in_force(verdicts, endorsements)
    judged = _with_consensus(in_force, ENDORSEMENT, "endorsement")
    rows = [
        (forum, *row)
        for (forum,), here in groups_of(judged, "forum")
        for row in _precisions(here, "endorsement")
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.endorsement_precision"), orient="row")


def _with_consensus(verdicts: pl.DataFrame, subject: list[str], rule: str) -> pl.DataFrame:
    """Return the verdicts of raters, and of each subject the agreed or most frequent one."""
    is_agreed = pl.col("rater") == AGREED
    counted = verdicts.filter(is_agreed | ~is_agreed.any().over(subject))
    votes = counted.group_by(*subject, rule, "verdict").agg(votes=pl.len())
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over(subject))
    consensus = most.group_by(*subject, rule).agg(
        rater=pl.lit(CONSENSUS),
        verdict=pl.when(pl.len() == 1).then(pl.col("verdict").first()).otherwise(pl.lit(UNSURE)),
    )
    return pl.concat([verdicts.select(consensus.columns), consensus])


def _precisions(judged: pl.DataFrame, rule: str) -> Iterator[tuple[object, ...]]:
    """Yield rows of rule, rater and precision: for all rules together and for each."""
    for name in [ALL, *judged.get_column(rule).unique().sort()]:
        of_rule = judged if name == ALL else judged.filter(pl.col(rule) == name)
        for (rater,), of_rater in groups_of(of_rule, "rater"):
            verdicts = of_rater["verdict"]
            right, wrong, unsure = (int((verdicts == word).sum()) for word in FINDING_VERDICTS)
            share = wilson_interval(right, right + wrong, CONFIDENCE)
            limits = map(percent, (share.share, share.low, share.high))
            yield (name, rater, right + wrong, right, wrong, unsure, *limits, CONFIDENCE)


def _by_repository_and_pooled(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for (repository,), group in groups_of(rows, "repository"):
        yield repository, group
    if rows.height:
        yield POOLED, rows
