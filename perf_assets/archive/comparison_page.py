"""A comparison for people: lines for a terminal, and a page."""

from collections.abc import Iterator

import polars as pl

from perf_assets.archive.comparing import COMPARED, Compared, Comparison
from perf_assets.archive.differences import TableDifference
from perf_assets.reports.document import Document, Part, Section, html
from perf_assets.schema import declared

KINDS = {"source": "Source", "rules": "Rules", "code": "Code"}
MEANINGS = {
    "raw": "What was read at the sources",
    "reviews": "What people judged",
    "replication": "Published data of the papers",
    "labels": "Labels",
    "links": "Links of fixes",
    "details": "Analysis of fixes",
    "marts": "Figures",
    "analysis": "Statistics",
}


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield what differs, the causes first."""
    yield f"first: {comparison.first.name}; second: {comparison.second.name}"
    for kind in KINDS:
        for sentence in getattr(comparison, kind) or [_no_change(comparison, kind)]:
            yield f"{kind}: {sentence}"
    yield from (f"address keys: {sentence}" for sentence in comparison.address_keys)
    for name in comparison.only_first:
        yield f"{name}: only the first has this table"
    for name in comparison.only_second:
        yield f"{name}: only the second has this table"
    yield from comparison.defined
    for found in comparison.differing_columns:
        yield f"{found.table}: {_columns(found)}"
    for compared in comparison.differing:
        table = declared()[compared.difference.table]
        yield f"{table.name}: {_counts(compared)}; by {_causes(comparison, compared)}"
        yield from (f"    {change.sentence(table)}" for change in compared.difference.examples)
    equal = len(comparison.tables) - len(comparison.differing)
    yield f"{len(comparison.differing)} tables differ, {equal} are equal"


def page(comparison: Comparison) -> str:
    """Return the same as one HTML file."""
    first, second = comparison.first.name, comparison.second.name
    causes = Section(
        "causes",
        "What changed",
        ["A result differs because its source, a rule or the code does; one may hide another."],
        [
            Part(
                kind,
                title,
                words=getattr(comparison, kind)
                or [f"{_no_change(comparison, kind)}.".capitalize()],
            )
            for kind, title in KINDS.items()
        ],
    )
    if comparison.address_keys:
        part = Part("address-keys", "Address keys", words=comparison.address_keys)
        causes.parts.append(part)
    sections = [
        Section(schema, MEANINGS[schema], [], [_overview(comparison, schema, own), *parts])
        for schema in COMPARED
        if (own := [compared for compared in comparison.differing if _schema(compared) == schema])
        and (parts := list(map(_part, own)))
    ]
    equal = sorted(
        table.difference.table for table in comparison.tables if table.difference.is_equal
    )
    alone = [
        *(f"Only the first has the table {name}." for name in comparison.only_first),
        *(f"Only the second has the table {name}." for name in comparison.only_second),
        *(f"{sentence}." for sentence in comparison.defined),
        *(f"{column.table}: {_columns(column)}." for column in comparison.differing_columns),
    ]
    sections.append(Section("equal", "What is equal", [", ".join(equal) or "Nothing.", *alone]))
    words = [f"The first is {first}, the second {second}."]
    return html(Document("What differs", words, [causes, *sections]))


def _no_change(comparison: Comparison, kind: str) -> str:
    if kind == "source" or comparison.knows_code:
        return "no change"
    return "no change is noted; versions of the code are noted in archives alone"


def _columns(one: TableDifference) -> str:
    names = ", ".join(one.columns)
    return f"not compared, as only one of the two has it, or in another type: {names}"


def _overview(comparison: Comparison, schema: str, own: list[Compared]) -> Part:
    rows = [
        {
            "table": compared.difference.table,
            "rows_of_the_first": compared.difference.rows,
            "only_in_the_first": compared.difference.only_first,
            "only_in_the_second": compared.difference.only_second,
            "changed": compared.difference.changed,
            "by": _causes(comparison, compared),
        }
        for compared in own
    ]
    return Part(f"{schema}-tables", "Tables that differ", table=pl.DataFrame(rows), is_open=True)


def _part(one: Compared) -> Part:
    table = declared()[one.difference.table]
    return Part(
        one.difference.table.replace(".", "-"),
        one.difference.table,
        words=[_counts(one), *(change.sentence(table) for change in one.difference.examples)],
    )


def _schema(one: Compared) -> str:
    return one.difference.table.partition(".")[0]


def _counts(one: Compared) -> str:
    found = one.difference
    return (
        f"{found.only_first:,} rows only in the first, {found.only_second:,} only in the second, "
        f"{found.changed:,} changed, of {found.rows:,}"
    )


def _causes(comparison: Comparison, one: Compared) -> str:
    if one.causes:
        return ", ".join(one.causes)
    if not comparison.knows_code:
        return "nothing that is noted: the version of the code is not known"
    return "nothing that is noted: what is computed was changed by hand"
