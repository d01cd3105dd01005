"""Prepare the data and the statistics that the study of performance bugs is compared with."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from perf_assets.core.analyses.group_samples import (
    METRICS,
    POOLED,
    TREND_ALTERNATIVE,
    Comparison,
    compare,
    percent_larger,
)
from perf_assets.core.paper.values import verdict_of
from perf_assets.core.statistics.samples import MAGNITUDE_BOUNDS, cox_stuart

DATASET = "replication"

REPOSITORIES = ("pytorch/pytorch", "tensorflow/tensorflow")
"""The two frameworks: what the paper gives for both needs the data of both."""

LOWEST_TRUSTED_NUMBER = 100
"""Table II leaves out issues of lower numbers: template text mentions them."""

POPULATION = (
    "performance bugs: those verified by hand whose issue number is not below "
    f"{LOWEST_TRUSTED_NUMBER}; others: all fixed ones"
)

ISSUE = pl.format("{}#{}", "repository", "number")
SERIES = (
    dict.fromkeys(("repository", "series", "why_months_differ"), pl.String)
    | dict.fromkeys(("months", "agreeing_months", "other_months"), pl.Int64)
    | dict.fromkeys(("published", "reproduced"), pl.Float64)
    | dict.fromkeys(("published_pairs", "reproduced_pairs"), pl.String)
)
COMPARISONS = (
    dict.fromkeys(("metric", "magnitude", "fitting_other", "why", "population"), pl.String)
    | dict.fromkeys(("median_performance", "median_other", "p_value"), pl.Float64)
    | dict.fromkeys(("delta", "other_delta", "other_delta_of_fixes"), pl.Float64)
    | dict.fromkeys(("larger", "larger_unrounded", "larger_by_paper"), pl.Float64)
)


def bug_tables(
    table_2: pl.DataFrame, bugs: pl.DataFrame, trend: pl.DataFrame, taxonomy: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Return the tables that the queries of ``performance_bugs.yml`` read.

    table_2 : the rows of Table II as printed.

    bugs : ``marts.bug_metrics``, once more with the repository ``pooled``, with ``kind``
        (performance or other), ``is_verified`` (by hand) and ``opened_on``.
    taxonomy : ``replication.taxonomy`` with ``issue``.
    trend : ``marts.paper_trend`` with the counts of a month in words, and the others that were
        counted in the place of those published.
    series : how its months differ, and its trend tests.
    group_comparisons : the statistics of Table II.
    magnitudes : above which Cliff's delta an effect is small.
    """
    named = bugs.with_columns(
        kind=pl.when("is_performance").then(pl.lit("performance")).otherwise(pl.lit("other")),
        is_verified=_is_verified(taxonomy),
        opened_on=pl.col("opened_at").dt.convert_time_zone("UTC").dt.strftime("%Y-%m-%d"),
    )
    ordered = trend.sort("repository", "series", "month")
    return {
        "bugs": pl.concat([named, named.with_columns(repository=pl.lit(POOLED))]),
        "taxonomy": taxonomy.with_columns(issue=ISSUE),
        "trend": _in_words(ordered),
        "series": _series(ordered),
        "group_comparisons": pl.DataFrame(
            [_group_comparison(row, bugs, taxonomy) for row in table_2.iter_rows(named=True)],
            schema=COMPARISONS,
        ),
        "magnitudes": pl.DataFrame({"small_above": [MAGNITUDE_BOUNDS[0][0]]}),
    }


def missing_data(
    bugs: pl.DataFrame, taxonomy: pl.DataFrame, repository: str
) -> dict[str, str | None]:
    """Return what the texts of a value of ``repository`` say is missing, if it is."""
    return {"without_bugs": without(bugs, repository), "without_taxonomy": without(taxonomy)}


def without(rows: pl.DataFrame, repository: str = POOLED) -> str | None:
    """Return the repositories that ``rows`` lack for the values of ``repository``, if any."""
    needed = REPOSITORIES if repository == POOLED else (repository,)
    loaded = set(rows["repository"])
    return " and ".join(name for name in needed if name not in loaded) or None


def table_2_bugs(bugs: pl.DataFrame, taxonomy: pl.DataFrame) -> pl.DataFrame:
    """Return all bug reports, with those alone fixed whose fixes Table II compares.

    Without a taxonomy of both frameworks these are all fixed ones.
    """
    if without(taxonomy) is not None:
        return bugs
    return bugs.with_columns(is_fixed=pl.col("is_fixed") & _is_compared(taxonomy))


def agreeing_months(months: pl.DataFrame) -> pl.DataFrame:
    """Return the months of ``marts.paper_trend`` in which both counts are as published."""
    return months.filter(
        pl.col("published_performance") == pl.col("reproduced_performance"),
        pl.col("published_total") == pl.col("reproduced_total"),
    )


def months_differ(months: pl.DataFrame) -> str:
    """Say in how many months the counts are not as published, in which direction, and why."""
    fewer = months.filter(pl.col("reproduced_total") < pl.col("published_total")).height
    more = months.filter(pl.col("reproduced_total") > pl.col("published_total")).height
    gap = (months["published_percent"] - months["reproduced_percent"]).abs().max()
    largest = f"{gap:.2f}" if isinstance(gap, float) else "unknown"
    parts = {
        f"{fewer} have fewer bug reports than published, which fits that a reopened report counts "
        "as closed from its last close on": fewer,
        f"{more} have more, which fits that one closed for a while counts as open until its last "
        "close": more,
    }
    reasons = " and ".join(part for part, number in parts.items() if number)
    counted = f"of {months.height} months {reasons}: the package has the last close alone; "
    return (
        f"{counted if reasons else ''}the percentages of a month differ by at most {largest} points"
    )


def _is_verified(taxonomy: pl.DataFrame) -> pl.Expr:
    """Return whether the authors verified a performance bug: whether the taxonomy has it."""
    verified = taxonomy.select(ISSUE).to_series().unique()
    return pl.col("is_performance") & ISSUE.is_in(verified.implode())


def _is_compared(taxonomy: pl.DataFrame) -> pl.Expr:
    """Return whether Table II compares the fix of a bug report."""
    is_trusted = pl.col("number") >= LOWEST_TRUSTED_NUMBER
    return ~pl.col("is_performance") | (_is_verified(taxonomy) & is_trusted)


def _in_words(trend: pl.DataFrame) -> pl.DataFrame:
    """Return the months of the series with their counts in words."""

    def counts(month: Mapping[str, Any], source: str) -> str:
        return f"{month[f'{source}_performance']:,} of {month[f'{source}_total']:,}"

    months = trend.rows(named=True)
    published = [counts(month, "published") for month in months]
    counted = [counts(month, "reproduced") for month in months]
    others = [
        f"{again} for {before} in {month['month']}" if again != before else None
        for month, before, again in zip(months, published, counted, strict=True)
    ]
    return trend.with_columns(
        published_counts=pl.Series(published, dtype=pl.String),
        other_counts=pl.Series(others, dtype=pl.String),
    )


def _series(trend: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each series: how the counts of its months differ, and its trend tests."""
    rows = []
    for (repository, series), months in trend.partition_by(
        "repository", "series", as_dict=True
    ).items():
        agreeing = agreeing_months(months).height
        row = {
            "repository": repository,
            "series": series,
            "why_months_differ": months_differ(months),
            "months": months.height,
            "agreeing_months": agreeing,
            "other_months": months.height - agreeing or None,
        }
        for source in ("published", "reproduced"):
            test = cox_stuart(months[f"{source}_percent"], TREND_ALTERNATIVE)
            row[source] = test.pvalue
            row[f"{source}_pairs"] = f"{test.n_positive} of {test.n_pairs}"
        rows.append(row)
    return pl.DataFrame(rows, schema=SERIES)


def _group_comparison(
    printed: Mapping[str, Any], bugs: pl.DataFrame, taxonomy: pl.DataFrame
) -> dict[str, object]:
    """Return the row of a metric of Table II: its statistics, and why they differ."""
    metric = printed["metric"]
    is_of_fixes = METRICS[metric] == "fixed"
    tested = compare(bugs.filter(_is_compared(taxonomy)) if is_of_fixes else bugs, metric)
    delta, text = tested.cliffs_delta, printed["cliffs_delta_text"]
    other_delta = delta if delta is not None and verdict_of(text, delta) == "differs" else None
    medians = tested.median_performance, tested.median_other
    texts = printed["performance_text"], printed["other_text"]
    rounded = tuple(
        None if median is None else round(median, _digits(text))
        for median, text in zip(medians, texts, strict=True)
    )
    performance, other = map(float, texts)
    digits = _digits(texts[1])
    fitting = round(performance / (1 + float(printed["larger_text"]) / 100), digits)
    again = percent_larger(performance, fitting)
    would_fit = again is not None and verdict_of(printed["larger_text"], again) != "differs"
    return {
        "metric": metric,
        "median_performance": medians[0],
        "median_other": medians[1],
        "p_value": tested.p_value,
        "magnitude": tested.magnitude,
        "delta": delta,
        "other_delta": other_delta,
        "other_delta_of_fixes": other_delta if is_of_fixes else None,
        "larger": percent_larger(*rounded),
        "larger_unrounded": percent_larger(*medians) if medians != rounded else None,
        "larger_by_paper": percent_larger(performance, other),
        "fitting_other": f"{fitting:.{digits}f}" if would_fit else None,
        "why": _why(metric, bugs),
        "population": POPULATION if is_of_fixes else None,
    }


def _why(metric: str, bugs: pl.DataFrame) -> str:
    """Say why the statistics of a metric differ."""
    if metric == "hours_to_first_comment":
        return (
            "unknown; the paper leaves out the reporter's own comments, and the package does not "
            "say whose the first comment is; tried: all reports, and those on which somebody else "
            "commented"
        )
    if METRICS[metric] != "fixed":
        return "no reason found"
    alone = (
        f"those of {name} alone {_in_short(compare(bugs.filter(repository=name), metric))}"
        for name in REPOSITORIES
    )
    return (
        "unknown: of which bugs it is, the paper does not say; the row is of those that give the "
        f"paper's medians (verified by hand, no number below {LOWEST_TRUSTED_NUMBER}); tried, too: "
        f"all fixed ones have {_in_short(compare(bugs, metric))}, {', '.join(alone)}"
    )


def _in_short(tested: Comparison) -> str:
    if tested.cliffs_delta is None or tested.p_value is None:
        return "nothing"
    return f"delta {tested.cliffs_delta:.3f} and p = {tested.p_value:.2g}"


def _digits(text: str) -> int:
    return len(text.partition(".")[2])
