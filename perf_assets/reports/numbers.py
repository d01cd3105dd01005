"""A few numbers of a table at the time of a run, which Dagster draws over the runs."""

import duckdb

NUMBERS = {
    "marts.bug_metrics": """
        select
            count(*) as "bug reports",
            count(*) filter (where is_performance) as "performance bugs",
            100 * count(*) filter (where is_performance) / count(*) as "performance bugs, percent",
            count(*) filter (where is_performance and is_fixed) as "performance bugs, fixed",
            median(fix_time_days) filter (where is_performance and is_fixed)
                as "days to fix a performance bug, median"
        from marts.bug_metrics
        where dataset = 'live'
    """,
    "marts.trend_monthly": """
        select
            sum(open_performance) as "performance bugs open (backlog)",
            100 * sum(open_performance) / nullif(sum(open_total), 0)
                as "open bug reports that are performance bugs, percent"
        from (
            select arg_max(columns(['open_performance', 'open_total']), month)
            from marts.trend_monthly
            where dataset = 'live'
            group by repository
        ) as newest(open_performance, open_total)
    """,
    "links.fix_links": 'select count(distinct (repository, number)) as "issues with a commit"'
    " from links.fix_links",
}
"""The query of each asset's numbers, one row; a column a number."""


def numbers_of(connection: duckdb.DuckDBPyConnection, asset: str) -> dict[str, float]:
    """The numbers of ``asset`` by their names; those that cannot be computed are left out."""
    if asset not in NUMBERS:
        return {}
    answer = connection.sql(NUMBERS[asset])
    (row,) = answer.fetchall()
    pairs = zip(answer.columns, row, strict=True)
    return {name: round(float(number), 2) for name, number in pairs if number is not None}
