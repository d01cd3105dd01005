"""The paper against itself: values that it gives twice, or that follow from others of its.

Only the values as printed are compared, and with them the series that the package publishes as
those of Figure 1. What is set against the first value stands where a reproduced one does elsewhere.
"""

from collections.abc import Iterator, Sequence

from perf_assets.core.analyses.group_samples import POOLED, percent_larger
from perf_assets.core.paper.figures import (
    Data,
    Figure,
    PaperTables,
    comparison_row,
    number_of,
    number_of_month,
    verdict_of,
)
from perf_assets.core.paper.trends import months_of
from perf_assets.core.statistics.samples import MAGNITUDE_BOUNDS

LOCATION = "The paper against itself"
COUNTS = ("bugs", "speed", "memory", "both")


def paper_consistency(published: PaperTables, data: Data) -> Iterator[tuple[object, ...]]:
    """What the paper says in two places, first where they are about counts, then the statistics.

    A table of the file of published values that is missing has no rows.
    """
    yield from _totals(published)
    yield from _ends_of_series(published, data)
    yield from _periods(published, data)
    yield from _precision(published)
    for table in published.get("table_2", ()):
        yield _larger(table)
    yield from _bounds(published)
    yield from _taxonomy(published.get("taxonomy", {}), published.get("table_3", ()))


def _totals(published: PaperTables) -> Iterator[tuple[object, ...]]:
    """Section III against the sums of Table I."""
    sections = {table["repository"]: table for table in published.get("section_3", ())}
    for table in published.get("table_1", ()):
        repository = table["repository"]
        kinds = {kind: _sum(table[kind], "open", "closed") for kind in ("performance", "other")}
        sums = {
            "bug_reports": ("bug reports", sum(kinds.values())),
            "performance_bugs": ("performance bugs", kinds["performance"]),
            "other_bugs": ("other bug reports", kinds["other"]),
        }
        for name, (what, value) in sums.items():
            text = sections.get(repository, {}).get(name)
            if text is not None:
                quantity = f"{what} of section III, against open and closed ones of Table I"
                yield _row(f"{repository}.{name}", repository, quantity, text, value)


def _ends_of_series(published: PaperTables, data: Data) -> Iterator[tuple[object, ...]]:
    """Table I against the last month of the series of Figure 1."""
    for table in published.get("table_1", ()):
        repository = table["repository"]
        for state in ("open", "fixed"):
            months = months_of(data, repository, state)
            if repository == POOLED or months.is_empty() or state not in table["performance"]:
                continue
            last = months.row(-1, named=True)
            performance, other = table["performance"][state], table["other"][state]
            total = f"{number_of(performance) + number_of(other):,}"
            texts = {"performance": performance, "total": total}
            reason = (
                f"Table I has {performance} of {total}, the series of Figure 1 "
                f"{last['published_performance']:,} of {last['published_total']:,} in "
                f"{last['month']}: which of them is right is unknown"
            )
            for name, what in (("performance", "performance bugs"), ("total", "bug reports")):
                quantity = f"{state} {what} of Table I, against the end of the series of Figure 1"
                yield _row(
                    *(f"{repository}.{state}.{name}", repository, quantity, texts[name]),
                    *(last[f"published_{name}"], reason),
                )


def _periods(published: PaperTables, data: Data) -> Iterator[tuple[object, ...]]:
    """When the data end: as section III says, against what section IV studies."""
    ends = {
        table["repository"]: table["last_month"]
        for table in published.get("figure_1", ())
        if "last_month" in table
    }
    for table in published.get("section_3", ()):
        repository = table["repository"]
        if "until" not in table or repository not in ends:
            continue
        quantity = "month up to which section III collects, against the last one that RQ1 studies"
        reason = f"the last one that RQ1 studies is {ends[repository]}{_newest(data, repository)}"
        value = number_of_month(ends[repository])
        yield _row(f"{repository}.until", repository, quantity, table["until"], value, reason)


def _newest(data: Data, repository: str) -> str:
    opened = data.of(repository).get_column("opened_at")
    newest = opened.dt.convert_time_zone("UTC").dt.strftime("%Y-%m-%d").max()
    if not isinstance(newest, str):
        return ""
    return f"; the newest bug report of the package is of {newest}"


def _precision(published: PaperTables) -> Iterator[tuple[object, ...]]:
    sections = {table["repository"]: table for table in published.get("section_3", ())}
    tables = {table["repository"]: table for table in published.get("table_1", ())}
    text = sections.get(POOLED, {}).get("precision")
    fixed = tables.get(POOLED, {}).get("performance", {}).get("fixed")
    if text is not None and fixed is not None:
        verified = sections[POOLED]["verified_bugs"]
        quantity = f"precision in percent, against {verified} verified bugs of {fixed} fixed ones"
        value = 100 * number_of(verified) / number_of(fixed)
        yield _row("precision", POOLED, quantity, text, value)


def _larger(table: PaperTables) -> tuple[object, ...]:
    """How much larger a median is, against the medians of Table II."""
    metric, medians = table["metric"], (table["performance"], table["other"])
    value = percent_larger(*map(float, medians))
    quantity = f"{metric}: percent above others in the text, against the medians of Table II"
    figure = Figure(f"against_itself.{metric}.larger", LOCATION, POOLED, quantity, table["larger"])
    digits = len(medians[1].partition(".")[2])
    fitting = round(float(medians[0]) / (1 + float(table["larger"]) / 100), digits)
    again = percent_larger(float(medians[0]), fitting)
    reason = f"the medians are {medians[0]} and {medians[1]}"
    if again is not None and verdict_of(figure, again) != "differs":
        reason += f"; {fitting:.{digits}f} in the place of {medians[1]} would give it"
    return comparison_row(figure, value, gap=None, reason=reason)


def _bounds(published: PaperTables) -> Iterator[tuple[object, ...]]:
    """The least small effect, as the text prints it and as the readings of Table II have it."""
    text = published.get("effect_sizes", {}).get("small_above")
    if text is None:
        return
    small = [t["cliffs_delta"] for t in published.get("table_2", ()) if t.get("reading") == "small"]
    reason = (
        "the text prints the same bounds for small and for medium effects; by Romano et al., whom "
        f"it names, small begins above {MAGNITUDE_BOUNDS[0][0]}, and Table II calls "
        f"{', '.join(small)} small"
    )
    quantity = "bound above which an effect is small, against the one that Table II is read by"
    yield _row("small_above", POOLED, quantity, text, MAGNITUDE_BOUNDS[0][0], reason)


def _taxonomy(taxonomy: PaperTables, tables: Sequence[PaperTables]) -> Iterator[tuple[object, ...]]:
    """The text of RQ3 against Table III, and Table III against its own sums."""
    categories = [table for table in tables if "subcategory" not in table]
    total = sum(number_of(table["bugs"]) for table in categories)
    in_text = {
        "bugs": ("bugs", total),
        "categories": ("categories", len(categories)),
        "subcategories": ("sub-categories", len(tables) - len(categories)),
    }
    for name, (what, value) in in_text.items():
        if name in taxonomy and tables:
            quantity = f"{what} of the text, against Table III"
            yield _row(f"taxonomy.{name}", POOLED, quantity, taxonomy[name], value)
    if not tables:
        return
    impacts = {
        _name(table): _sum(table, *COUNTS[1:]) == number_of(table["bugs"]) for table in tables
    }
    yield _holding("impacts", "rows of Table III whose impacts add up to their bugs", impacts)
    shares = {
        _name(table): verdict_of(
            Figure("", LOCATION, POOLED, "", table["share"]), 100 * number_of(table["bugs"]) / total
        )
        != "differs"
        for table in tables
    }
    yield _holding("shares", f"rows of Table III whose share is that of {total} bugs", shares)
    sums = {
        f"{_name(category)} ({column})": sum(number_of(part[column]) for part in parts)
        == number_of(category[column])
        for category in categories
        if (parts := [t for t in tables if t["category"] == category["category"] != _name(t)])
        for column in COUNTS
    }
    yield _holding("sums", "sums over sub-categories that are those of their category", sums)


def _holding(name: str, quantity: str, holds: dict[str, bool]) -> tuple[object, ...]:
    """How often something holds that ought to hold each time, and where it does not."""
    reason = f"not so: {', '.join(location for location, held in holds.items() if not held)}"
    return _row(f"table_3.{name}", POOLED, quantity, str(len(holds)), sum(holds.values()), reason)


def _row(
    name: str,
    repository: str,
    quantity: str,
    text: str,
    value: float,
    reason: str = "the sums differ",
) -> tuple[object, ...]:
    figure = Figure(f"against_itself.{name}", LOCATION, repository, quantity, text)
    return comparison_row(figure, value, gap=None, reason=reason)


def _name(table: PaperTables) -> str:
    return str(table.get("subcategory", table["category"]))


def _sum(table: PaperTables, *names: str) -> int:
    return sum(number_of(table[name]) for name in names)
