"""Which bug reports people look at: random samples of the labelled ones and of the others."""

import hashlib

import polars as pl


def draw(bug_reports: pl.DataFrame, labelled: int, unlabelled: int, seed: int) -> pl.DataFrame:
    """Draw a simple random sample, without replacement, of each of two strata.

    The strata are the bug reports labelled as performance bugs, and the others; the repositories
    are drawn from together, so each comes with about its share. The order follows from a hash of
    seed, repository and number (permanent random numbers): the same seed and bug reports give the
    same sample, and a larger sample of the same seed holds the smaller one.

    Parameters
    ----------
    bug_reports : columns repository, number, is_performance, and any others, which are kept.
    labelled, unlabelled : how many of each stratum; of a smaller one all are taken.

    Returns
    -------
    The drawn rows in random order, the strata mixed.

    References
    ----------
    Ohlsson, E. (1995). Coordination of samples using permanent random numbers. In Cox, B. G. et
    al. (eds.), Business Survey Methods, Wiley, 153-169.
    """
    ordered = bug_reports.with_columns(
        order=pl.struct("repository", "number").map_elements(
            lambda bug: _random_order(seed, bug["repository"], bug["number"]),
            return_dtype=pl.String,
        )
    ).sort("order")
    of_labelled = ordered.filter("is_performance").head(labelled)
    of_others = ordered.filter(~pl.col("is_performance")).head(unlabelled)
    return pl.concat([of_labelled, of_others]).sort("order").drop("order")


def _random_order(seed: int, repository: str, number: int) -> str:
    return hashlib.sha256(f"{seed} {repository}#{number}".encode()).hexdigest()
