"""The trend tests and Figure 1: the monthly series, open and fixed."""

from collections.abc import Iterable, Iterator

import polars as pl

from perf_assets.core.analyses.comparisons import (
    TREND_ALTERNATIVE,
)
from perf_assets.core.paper.figures import (
    Data,
    Figure,
    PaperTables,
    comparison_row,
)
from perf_assets.core.statistics.samples import cox_stuart


def cox_stuart_tests(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """The trend tests, on the published series and on those counted from the bug reports."""
    for table in tables:
        repository, series = table["repository"], table["series"]
        months = months_of(data, repository, series)
        for source in ("published", "reproduced"):
            test = cox_stuart(months.get_column(f"{source}_percentage"), TREND_ALTERNATIVE)
            of = "the published series" if source == "published" else "the bug reports"
            note = f"{test.n_positive} of {test.n_pairs} pairs of months rise"
            name = f"cox_stuart.{repository}.{series}.{source}"
            what = f"Cox-Stuart p-value of the {series} series, from {of}"
            readme, paper = "Package README", "Section IV, RQ1"
            for suffix, place, text in (
                ("", readme, table["p_value"]),
                (".claim", paper, f"p < {table['below']}"),
            ):
                figure = Figure(f"{name}{suffix}", place, repository, what, text)
                gap = data.gap(repository)
                yield comparison_row(figure, test.pvalue, gap=gap, reason=note, note=note)


def figure_1(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """First and last points of the series, what lies between, and each series as a whole."""
    for table in tables:
        repository, series = table["repository"], table["series"]
        gap = data.gap(repository)
        months = months_of(data, repository, series)
        shares = months.get_column("reproduced_percentage").to_list() or [None]
        first, last = shares[0], shares[-1]
        points = {
            "first": ("percentage in the first month", first),
            "last": ("percentage in the last month", last),
            "change": (
                "change of the percentage, in points",
                None if first is None or last is None else last - first,
            ),
        }
        reason = _trend_reason(months)
        for name, (quantity, value) in points.items():
            if name in table:
                figure = Figure(
                    f"figure_1.{repository}.{series}.{name}",
                    "Figure 1 and section IV, RQ1",
                    repository,
                    f"{series} bugs: {quantity}",
                    table[name],
                )
                yield comparison_row(figure, value, gap=gap, reason=reason)
        whole = Figure(
            f"figure_1.{repository}.{series}.months",
            "Figure 1, as the package's series",
            repository,
            f"{series} bugs: months with both counts as published",
            str(months.height),
        )
        yield comparison_row(whole, agreeing_months(months).height, gap=gap, reason=reason)


def months_of(data: Data, repository: str, series: str) -> pl.DataFrame:
    """The months of one series of Figure 1, in order."""
    return data.trend.filter(repository=repository, series=series).sort("month")


def agreeing_months(months: pl.DataFrame) -> pl.DataFrame:
    """The months of ``marts.paper_trend`` in which both counts are as published."""
    return months.filter(
        (pl.col("published_performance") == pl.col("reproduced_performance"))
        & (pl.col("published_total") == pl.col("reproduced_total"))
    )


def _trend_reason(months: pl.DataFrame) -> str:
    gap = (months.get_column("published_percentage") - months["reproduced_percentage"]).abs().max()
    largest = f"{gap:.2f}" if isinstance(gap, float) else "unknown"
    return (
        "bug reports that were open again at the time count as closed, the package tells of no "
        f"reopening; the percentages of a month differ by at most {largest} points"
    )
