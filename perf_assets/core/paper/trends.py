"""The trend tests and Figure 1: the monthly series, open and fixed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from perf_assets.core.analyses.group_samples import TREND_ALTERNATIVE
from perf_assets.core.paper.figures import (
    Data,
    Figure,
    PaperTables,
    comparison_row,
    number_of_month,
)
from perf_assets.core.statistics.samples import cox_stuart


def cox_stuart_tests(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """The trend tests, on the published series and on those counted from the bug reports."""
    for table in tables:
        repository, series = table["repository"], table["series"]
        months = months_of(data, repository, series)
        for source in ("published", "reproduced"):
            test = cox_stuart(months.get_column(f"{source}_percent"), TREND_ALTERNATIVE)
            of = "the published series" if source == "published" else "the bug reports"
            note = f"{test.n_positive} of {test.n_pairs} pairs of months rise"
            differing = months.height - agreeing_months(months).height
            behind = None
            if source == "reproduced" and differing:
                behind = f"{note}; {differing} of {months.height} months have other counts"
            name = f"cox_stuart.{repository}.{series}.{source}"
            what = f"Cox-Stuart p-value of the {series} series, from {of}"
            readme, paper = "Package README", "Section IV, RQ1"
            for suffix, location, text in (
                ("", readme, table["p_value"]),
                (".claim", paper, f"p < {table['below']}"),
            ):
                figure = Figure(f"{name}{suffix}", location, repository, what, text)
                gap = data.gap(repository)
                yield comparison_row(
                    figure, test.pvalue, gap=gap, reason=note, note=note, behind=behind
                )


def figure_1(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """First and last points of the series, what lies between, and each series as a whole.

    Each point is compared with the published series and with that counted from the bug reports.
    """
    for table in tables:
        repository, series = table["repository"], table["series"]
        gap = data.gap(repository)
        months = months_of(data, repository, series)
        reason = trend_reason(months)
        yield from _period(table, months, gap)
        for source in ("published", "reproduced"):
            of = "the published series" if source == "published" else "the bug reports"
            for name, (quantity, value, rows_of_months) in _points(months, source).items():
                if name in table:
                    figure = Figure(
                        f"figure_1.{repository}.{series}.{name}.{source}",
                        "Figure 1 and section IV, RQ1",
                        repository,
                        f"{series} bugs: {quantity}, from {of}",
                        table[name],
                    )
                    is_counted = source == "reproduced"
                    yield comparison_row(
                        figure,
                        value,
                        gap=gap,
                        reason=reason if is_counted else _published_counts(months, rows_of_months),
                        behind=_behind(months, rows_of_months) if is_counted else None,
                    )
        whole = Figure(
            f"figure_1.{repository}.{series}.months",
            "Figure 1, as the package's series",
            repository,
            f"{series} bugs: months with both counts as published",
            str(months.height),
        )
        yield comparison_row(whole, agreeing_months(months).height, gap=gap, reason=reason)


def _period(
    table: PaperTables, months: pl.DataFrame, gap: str | None
) -> Iterator[tuple[object, ...]]:
    """The first and the last month studied, where the paper says them of the series."""
    repository = table["repository"]
    ends = {"first_month": months["month"].min(), "last_month": months["month"].max()}
    for name, month in ends.items():
        if name in table:
            figure = Figure(
                f"figure_1.{repository}.{name}",
                "Section IV, RQ1",
                repository,
                f"{name.replace('_', ' ')} studied, from the published series",
                table[name],
            )
            value = number_of_month(month) if isinstance(month, str) else None
            yield comparison_row(figure, value, gap=gap)


def _points(
    months: pl.DataFrame, source: str
) -> dict[str, tuple[str, float | None, tuple[int, ...]]]:
    """What the paper reads from a series, its value, and the months that it is of."""
    shares = months.get_column(f"{source}_percent").to_list() or [None]
    first, last = shares[0], shares[-1]
    change = None if first is None or last is None else last - first
    return {
        "first": ("percentage in the first month", first, (0,)),
        "last": ("percentage in the last month", last, (-1,)),
        "change": ("change of the percentage, in points", change, (0, -1)),
    }


def _behind(months: pl.DataFrame, rows_of_months: tuple[int, ...]) -> str | None:
    """The counts of those months, where they are not as published."""
    rows = [months.row(location, named=True) for location in rows_of_months if months.height]
    counts = [
        f"{_of(row, 'reproduced')} for {_of(row, 'published')} in {row['month']}"
        for row in rows
        if _of(row, "reproduced") != _of(row, "published")
    ]
    return f"the counts are others: {' and '.join(counts)}" if counts else None


def _published_counts(months: pl.DataFrame, rows_of_months: tuple[int, ...]) -> str:
    """What the published series has in those months."""
    rows = [months.row(location, named=True) for location in rows_of_months if months.height]
    counts = [f"{_of(row, 'published')} in {row['month']}" for row in rows]
    return f"the series that the package publishes has {' and '.join(counts)}"


def _of(row: Mapping[str, Any], source: str) -> str:
    """The counts of a month, in words."""
    return f"{row[f'{source}_performance']:,} of {row[f'{source}_total']:,}"


def months_of(data: Data, repository: str, series: str) -> pl.DataFrame:
    """The months of one series of Figure 1, in order."""
    return data.trend.filter(repository=repository, series=series).sort("month")


def agreeing_months(months: pl.DataFrame) -> pl.DataFrame:
    """The months of ``marts.paper_trend`` in which both counts are as published."""
    return months.filter(
        (pl.col("published_performance") == pl.col("reproduced_performance"))
        & (pl.col("published_total") == pl.col("reproduced_total"))
    )


def trend_reason(months: pl.DataFrame) -> str:
    """In how many months the counts differ from the published ones, in which direction, and why."""
    fewer = months.filter(pl.col("reproduced_total") < pl.col("published_total")).height
    more = months.filter(pl.col("reproduced_total") > pl.col("published_total")).height
    gap = (months.get_column("published_percent") - months["reproduced_percent"]).abs().max()
    largest = f"{gap:.2f}" if isinstance(gap, float) else "unknown"
    parts = [
        f"{fewer} have fewer bug reports than published, which fits that a reopened report counts "
        "as closed from its last close on",
        f"{more} have more, which fits that one closed for a while counts as open until its last "
        "close",
    ]
    reasons = " and ".join(
        part for part, number in zip(parts, (fewer, more), strict=True) if number
    )
    counted = f"of {months.height} months {reasons}: the package has the last close alone; "
    return (
        f"{counted if reasons else ''}the percentages of a month differ by at most {largest} points"
    )
