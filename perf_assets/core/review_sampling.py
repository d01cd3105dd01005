"""Which bug reports people look at: random samples of the labelled ones and of the others."""

import hashlib
import json
from dataclasses import dataclass

import polars as pl

KINDS = (True, False)
"""The strata: bug reports labelled as performance bugs, and the others."""


@dataclass(frozen=True)
class Sample:
    """A drawn sample: its name, the ``items`` in the order of the sheet, and the ``frames``.

    ``frames`` has a row for each repository and stratum: ``frame_size`` bug reports of which
    ``sampled`` were drawn, and ``stratum_size`` and ``stratum_sampled`` over all repositories.
    """

    name: str
    items: pl.DataFrame
    frames: pl.DataFrame


def draw(bug_reports: pl.DataFrame, labelled: int, unlabelled: int, seed: int) -> Sample:
    """Draw a simple random sample, without replacement, of each of the two strata.

    The repositories are drawn from together, so each comes with about its share. Of a stratum that
    is smaller than what is asked for, all are taken. The order follows from a hash of seed,
    repository and number (permanent random numbers: Ohlsson 1995): the same seed and bug reports
    give the same sample, and a larger sample of the same seed holds the smaller one.

    Parameters
    ----------
    bug_reports : columns repository, number, is_performance, and any others, which are kept.
    labelled, unlabelled : how many of each stratum.
    """
    ordered = bug_reports.with_columns(
        order=pl.struct("repository", "number").map_elements(
            lambda bug: _random_order(seed, bug["repository"], bug["number"]),
            return_dtype=pl.String,
        )
    ).sort("order")
    drawn = pl.concat(
        ordered.filter(is_performance=kind).head(size)
        for kind, size in zip(KINDS, (labelled, unlabelled), strict=True)
    ).sort("order")
    items = drawn.drop("order").with_row_index("place", offset=1)
    frames = _frames(bug_reports, items)
    return Sample(_name(seed, items, frames), items, frames)


def _frames(bug_reports: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    keys = ["repository", "is_performance"]
    kinds = pl.DataFrame({"is_performance": KINDS})
    return (
        bug_reports.select("repository")
        .unique()
        .join(kinds, how="cross")
        .join(bug_reports.group_by(keys).len("frame_size"), on=keys, how="left")
        .join(items.group_by(keys).len("sampled"), on=keys, how="left")
        .with_columns(pl.col("frame_size", "sampled").fill_null(0).cast(pl.Int64))
        .with_columns(
            stratum_size=pl.col("frame_size").sum().over("is_performance"),
            stratum_sampled=pl.col("sampled").sum().over("is_performance"),
        )
        .sort(keys)
    )


def _random_order(seed: int, repository: str, number: int) -> str:
    return hashlib.sha256(f"{seed} {repository}#{number}".encode()).hexdigest()


def _name(seed: int, items: pl.DataFrame, frames: pl.DataFrame) -> str:
    """A name that is the same for the same draw from the same bug reports."""
    described = json.dumps([seed, items.rows(), frames.rows()], ensure_ascii=True)
    return hashlib.sha256(described.encode()).hexdigest()[:12]
