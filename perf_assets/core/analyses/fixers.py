"""Who fixes: on how few persons the fixes of a project rest, and how many members make."""

import polars as pl

from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.core.statistics.concentration import gini, half_group
from perf_assets.schema import schema_of

KEY = ("dataset", "repository", "is_performance")


def fixing_concentration(bug_fixers: pl.DataFrame) -> pl.DataFrame:
    """Say how the fixes of each kind of bug report are spread over the persons who made them.

    Parameters
    ----------
    bug_fixers : ``marts.bug_fixers``: dataset, repository, number, person, is_performance,
        is_fixed, fixing_share, is_first_contribution, is_member, is_bot.

    Returns
    -------
    ``analysis.fixing_concentration``: for each dataset, repository (and pooled) and kind of bug
    report one row. Fixes by programs are left out. A person of several repositories is one person
    where the account is known. The part of members is null where nobody is known to be one or not.
    """
    fixes = bug_fixers.filter("is_fixed", ~pl.col("is_bot")).with_columns(home="repository")
    by_kind = pl.concat([fixes, fixes.with_columns(repository=pl.lit(POOLED))])
    share = pl.col("fixing_share")
    totals = by_kind.group_by(KEY).agg(
        pl.struct("number", "home").n_unique().cast(pl.Int64).alias("n"),
        pl.when(pl.col("is_member").is_not_null().any())
        .then(share.filter("is_member").sum())
        .alias("by_members"),
        share.filter("is_first_contribution").sum().alias("by_newcomers"),
        share.sum().alias("fixes"),
    )
    by_person = by_kind.group_by(*KEY, "person").agg(share.sum().alias("fixes"))
    spread = by_person.group_by(KEY).agg(
        pl.len().cast(pl.Int64).alias("persons"), pl.col("fixes").sort().alias("by_person")
    )
    rows = [
        (
            *(row[name] for name in (*KEY, "n", "persons")),
            *(
                None if row[name] is None else min(1.0, row[name] / row["fixes"])
                for name in ("by_members", "by_newcomers")
            ),
            *(gini(row["by_person"]), half_group(row["by_person"])),
        )
        for row in totals.join(spread, on=KEY).sort(KEY).iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.fixing_concentration"), orient="row")
