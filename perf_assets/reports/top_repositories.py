"""Of a study of many repositories those that a person is shown; the tables hold all of them."""

import duckdb
import polars as pl

MOST = 20
PASSED_OVER = f"""
select repository
from marts.dataset_breakdown
where dataset = 'live'
group by repository
qualify row_number() over (order by sum(open + closed) desc, repository) > {MOST}
"""


def passed_over(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """The repositories that reports leave out: those with fewer bug reports than ``MOST`` have."""
    return frozenset(name for (name,) in connection.execute(PASSED_OVER).fetchall())


def without(rows: pl.DataFrame, names: frozenset[str]) -> pl.DataFrame:
    """The ``rows`` that are not about the repositories ``names``."""
    if not names or "repository" not in rows.columns:
        return rows
    return rows.filter(~pl.col("repository").is_in(names).fill_null(value=False))


def remark(names: frozenset[str]) -> list[str]:
    """That the repositories ``names`` are left out, and where they are, as a sentence or none."""
    if not names:
        return []
    return [
        f"Of {len(names) + MOST:,} repositories the {MOST} with most bug reports are shown one by "
        "one, and all of them where they are pooled; the tables of the database hold every one."
    ]
