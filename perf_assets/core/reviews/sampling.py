"""What people look at: random samples of what is labelled as of performance, and of the others."""

import hashlib

import polars as pl


def draw(
    subjects: pl.DataFrame,
    labelled: int,
    unlabelled: int,
    seed: int,
    key: tuple[str, str] = ("repository", "number"),
) -> pl.DataFrame:
    """Draw a simple random sample, without replacement, of each of two strata.

    The strata are the bug reports labelled as performance bugs, and the others; the repositories
    are drawn from together, so each comes with about its share. Of questions it is the same with
    forums. The order follows from a hash of seed, repository and number (permanent random numbers):
    the same seed and bug reports give the same sample, and a larger sample of the same seed holds
    the smaller one.

    Parameters
    ----------
    subjects : columns of the key, is_performance, and any others, which are kept.
    labelled, unlabelled : how many of each stratum; of a smaller one all are taken.
    key : repository and number, or what stands for them.

    Returns
    -------
    The drawn rows in random order, the strata mixed.

    References
    ----------
    Ohlsson, E. (1995). Coordination of samples using permanent random numbers. In Cox, B. G. et
    al. (eds.), Business Survey Methods, Wiley, 153-169.
    """
    ordered = _in_random_order(subjects, seed, key)
    of_labelled = ordered.filter("is_performance").head(labelled)
    of_others = ordered.filter(~pl.col("is_performance")).head(unlabelled)
    return pl.concat([of_labelled, of_others]).sort("order").drop("order")


def draw_each(
    subjects: pl.DataFrame, each: int, seed: int, key: tuple[str, str], strata: tuple[str, ...]
) -> pl.DataFrame:
    """Draw a simple random sample, without replacement, of each of several strata.

    Drawn as by :func:`draw`, so a larger sample of the same seed holds the smaller one.

    Parameters
    ----------
    subjects : columns of the key and the strata, and any others, which are kept.
    each : how many of each stratum; of a smaller one all are taken.
    key : the columns that identify a subject.
    strata : the columns whose values make a stratum.

    Returns
    -------
    The drawn rows in random order, the strata mixed.
    """
    ordered = _in_random_order(subjects, seed, key)
    return ordered.filter(pl.int_range(pl.len()).over(strata) < each).drop("order")


def _in_random_order(subjects: pl.DataFrame, seed: int, key: tuple[str, str]) -> pl.DataFrame:
    digests = [
        hashlib.sha256(f"{seed} {container}#{number}".encode()).hexdigest()
        for container, number in subjects.select(key).iter_rows()
    ]
    return subjects.with_columns(order=pl.Series(digests, dtype=pl.String)).sort("order")
