"""Whether performance bugs are a growing share of new bug reports: one verdict, in plain words.

The trend test over all months decides, after the adjustment for all headline tests. Where it shows
a change, or a change of level was found, the sentence gives the shares before and since. Other
methods are only held against the verdict.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.sql_files import rows_of
from perf_assets.reports.words import counted, listed, month_name, percent, times

Row = Mapping[str, Any]

SIGNIFICANT = 0.05
ENOUGH = 0.8
"""The power from which on it says something that no change is shown."""

GROWS, SHRINKS, CHANGED, STEADY = "grows", "shrinks", "changed", "steady"
FEW, NONE = "too few", "none"
SAID = {"rises": "a rise", "falls": "a fall", "no change": "no change"}
DIRECTIONS = {GROWS: "rises", SHRINKS: "falls", STEADY: "no change"}


@dataclass(frozen=True)
class Growth:
    """The verdict on a repository.

    Attributes
    ----------
    kind
        One of ``GROWS``, ``SHRINKS``, ``CHANGED``, ``STEADY``, ``FEW`` and ``NONE``.
    sentence, short
        What is seen, without its certainty; and the same beside the name of the repository.
    certainty
        How sure that is; empty if nothing was tested.
    methods
        Whether other methods say the same; empty if nothing was tested.
    """

    repository: str
    kind: str
    sentence: str
    short: str
    certainty: str = ""
    methods: str = ""


def read_growths(connection: duckdb.DuckDBPyConnection) -> list[Growth]:
    """Return the verdict on each repository with bug reports."""
    found = {row["repository"]: row for row in rows_of(connection, "growth").to_dicts()}
    by_method: dict[str, list[tuple[str, str]]] = {}
    for repository, method, direction in rows_of(connection, "growth_by_method").iter_rows():
        by_method.setdefault(repository, []).append((method, direction))
    return [
        _growth(row, found.get(row["repository"]), by_method.get(row["repository"], []))
        for row in rows_of(connection, "shares").to_dicts()
        if row["repository"] != "pooled"
    ]


def _growth(share: Row, row: Row | None, methods: Sequence[tuple[str, str]]) -> Growth:
    name, performance, reports = share["repository"], share["performance"], share["reports"]
    if not performance:
        bugs = "The only bug report is not"
        if reports > 1:
            bugs = f"Of {reports:,} bug reports none is"
        return Growth(name, NONE, f"{bugs} marked as a performance bug.", f"none of {reports:,}")
    if row is None or row["p"] is None or row["is_too_few"]:
        marked = "is marked as a performance bug"
        if performance > 1:
            marked = "are marked as performance bugs"
        return Growth(
            name,
            FEW,
            f"{int(performance):,} of {counted(reports, 'bug report')} {marked}: too few to say "
            "whether their share grows.",
            f"{int(performance):,} of {reports:,}, too few to say",
        )
    kind = _kind(row)
    sentence, short = _sentences(row, kind)
    methods = [(method, way) for method, way in methods if way != "not tested"]
    return Growth(name, kind, sentence, short, _certainty(row, kind), _agreement(kind, methods))


def _kind(row: Row) -> str:
    if row["p"] < SIGNIFICANT:
        return GROWS if row["odds"] > 1 else SHRINKS
    return STEADY if row["changed"] is None else CHANGED


def _sentences(row: Row, kind: str) -> tuple[str, str]:
    """Return what is seen, as a sentence and in short."""
    before, since = _shares(row, kind)
    if kind == CHANGED:
        verb = "rose" if row["direction"] == "up" else "fell"
        change = f"{verb} in {month_name(row['changed'])}, from {before} to {since}{_mark(row)}"
        return f"The share of performance bugs among new bug reports {change}.", change
    month = _since(row, kind)
    shares = f"{before} before {month_name(month)}, {since} since"
    if kind == STEADY:
        said = "The share of performance bugs among new bug reports shows no clear change"
        return f"{said}: {shares}.", f"no clear change, {shares}"
    way = {GROWS: ("growing", "larger"), SHRINKS: ("shrinking", "smaller")}[kind]
    # A step is said to have happened, a trend to go on.
    said = f"have become a {way[1]}" if month == row["changed"] else f"are a {way[0]}"
    if month == row["changed"]:
        shares += _mark(row)
    return f"Performance bugs {said} share of new bug reports: {shares}.", f"{way[0]}, {shares}"


def _mark(row: Row) -> str:
    """Return what changed in the labelling when the level did; empty if nothing is known."""
    if row["instrument"] is None:
        return ""
    is_same = row["instrument_month"] == row["changed"]
    when = "when" if is_same else f"while in {month_name(row['instrument_month'])}"
    return f", {when} {row['instrument']}"


def _since(row: Row, kind: str) -> str:
    """Return the month of the change that goes the way of the verdict, else of the second half."""
    is_same = kind == CHANGED or {"up": GROWS, "down": SHRINKS}.get(row["direction"]) == kind
    return str(row["changed"] if is_same else row["since"])


def _shares(row: Row, kind: str) -> tuple[str, str]:
    if _since(row, kind) == row["changed"]:
        return percent(100 * row["level_before"]), percent(100 * row["level_after"])
    halves = [
        (float(row[f"performance_{half}"]), float(row[f"total_{half}"]))
        for half in ("before", "since")
    ]
    before, since = (
        f"{part:,.0f} of {whole:,.0f}" if part < CURVE else percent(100 * part / whole)
        for part, whole in halves
    )
    return before, since


def _certainty(row: Row, kind: str) -> str:
    if kind in (GROWS, SHRINKS):
        chance = _chance("a rise" if kind == GROWS else "a fall", row["p"])
        return " ".join([chance, *_within(row, kind)])
    sentences = []
    if kind == CHANGED:
        sentences = [
            *_within(row, kind),
            _chance(f"a {'rise' if row['direction'] == 'up' else 'fall'}", row["p_of_change"]),
            "Over all months together no trend is shown.",
        ]
    if row["power"] is not None:
        found = f"{100 * row['power']:.0f} of 100 projects with as many reports"
        sentences.append(
            f"A share that doubles in three years would be noticed in {found}."
            if row["power"] >= ENOUGH
            else "A real trend may be hidden: a share that doubles in three years would be noticed "
            f"in only {found}."
        )
    return " ".join(sentences or ["No trend is shown."])


def _within(row: Row, kind: str) -> list[str]:
    """Return what is seen within the periods of one way of labelling, where it is another thing."""
    if row["periods"] is None or (kind == CHANGED and row["instrument"] is None):
        return []
    is_up = row["direction"] == "up" if kind == CHANGED else kind == GROWS
    if row["p_within"] is None:
        said = "the trend could not be tested"
    elif row["p_within"] >= SIGNIFICANT:
        said = "no trend is shown"
    elif (row["odds_within"] > 1) is is_up:
        return []
    else:
        said = f"the share {'rises' if row['odds_within'] > 1 else 'falls'}"
    return [f"Within the periods of one way of labelling, {said}."]


def _chance(what: str, p: float) -> str:
    return f"If nothing had changed, chance alone would show {what} this clear {times(p)}."


def _agreement(kind: str, methods: Sequence[tuple[str, str]]) -> str:
    """Return whether the verdict depends on the method, naming those that differ."""
    if not methods:
        return ""
    expected = DIRECTIONS.get(kind, "no change")
    others: dict[str, list[str]] = {}
    for method, way in methods:
        if way != expected:
            others.setdefault(way, []).append(method)
    if not others:
        if len(methods) == 1:
            return f"Only {methods[0][0]} was tried, and agrees."
        number = "Both" if len(methods) == 2 else f"All {len(methods)}"
        return f"{number} methods and sets of labels that were tried agree."
    ways = [
        f"{listed(named)} {'shows' if len(named) == 1 else 'show'} {words}"
        for way, words in SAID.items()
        if (named := others.get(way))
    ]
    agreeing = sum(way == expected for _, way in methods)
    return f"{agreeing} of {len(methods)} methods and sets of labels agree; {listed(ways)}."


def headline(growths: Sequence[Growth]) -> str:
    """Return the sentence on several repositories; on one, its own sentence."""
    if len(growths) == 1:
        return growths[0].sentence
    return " ".join(_headline(growths))


def _headline(growths: Sequence[Growth]) -> Iterator[str]:
    whole = len(growths)
    kinds = [growth.kind for growth in growths]
    ways = [
        f"a {words} share of new bug reports in {number:,} of {whole:,} repositories"
        for kind, words in ((GROWS, "growing"), (SHRINKS, "shrinking"))
        if (number := kinds.count(kind))
    ]
    changed = kinds.count(CHANGED)
    if ways:
        yield f"Performance bugs are {listed(ways)}."
        if changed:
            yield f"In {changed:,} more their share changed in a single step."
    elif changed:
        yield (
            "The share of performance bugs among new bug reports changed in a single step in "
            f"{changed:,} of {whole:,} repositories."
        )
    else:
        yield (
            f"In none of {whole:,} repositories does the share of performance bugs among new bug "
            "reports clearly change."
        )
