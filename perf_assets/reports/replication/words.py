"""The comparison in words: numbers as people read them, and on the terminal."""

import re
import textwrap
from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl
from rich.console import Console

from perf_assets.base.months import is_month
from perf_assets.base.sanitize import escape_text, in_words
from perf_assets.core.paper.constants import PUBLISHED_FILE
from perf_assets.core.paper.printed import AGAINST_ITSELF
from perf_assets.core.paper.values import DAY, READINGS, month_of_number
from perf_assets.reports.terminal import say

VERDICTS = ("exact", "within_rounding", "coincides", "differs", "not_derivable")
LINES = 2
"""Lines of a reason on the first screen."""

NUMBER = re.compile(r"\d[\d,.]*")


def number_text(value: object) -> str:
    """Return a number as ``16,284``, ``20.34``, ``0.2433`` or ``9.3e-10``."""
    if not isinstance(value, (int, float)):
        return "–"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.4g}" if abs(value) < 1 else f"{value:,.2f}"


def reproduced_text(row: Mapping[str, object]) -> str:
    """Return the reproduced value of a ``row``; days, months and words as such."""
    value, text = row["reproduced"], str(row["published_text"])
    if isinstance(value, float) and DAY.fullmatch(text):
        return str(date(1970, 1, 1) + timedelta(days=value))
    if isinstance(value, float) and is_month(text):
        return month_of_number(int(value))
    if isinstance(value, float) and text in READINGS:
        return READINGS[int(value)]
    return number_text(value)


def differing(comparison: pl.DataFrame) -> list[str]:
    """Return why figures differ: a sentence for each reason, whatever the numbers in it."""
    sentences = []
    for locations, reason in _reasons(comparison.filter(verdict="differs")):
        verb = "differs" if len(locations) == 1 else "differ"
        first, *others = dict.fromkeys(location.partition(",")[0] for location in locations)
        where = f"{first} and elsewhere" if others else first
        sentences.append(f"{len(locations)} {verb}, {where}: {reason}")
    return sentences


def counted_in_file(comparison: pl.DataFrame) -> list[str]:
    """Return a sentence on those figures that the paper does not print, if there are any."""
    rows = comparison.filter(pl.col("location").str.starts_with(PUBLISHED_FILE))
    if rows.is_empty():
        return []
    return [
        f"{rows.height} of them, {rows.filter(verdict='exact').height} exact, are not printed in "
        "the paper but counted once in the file that its authors publish: they guard the reading "
        "of it"
    ]


def print_verdicts(comparison: pl.DataFrame, console: Console) -> None:
    """Print one screen: how many figures have which verdict, and why others differ.

    Values that set a paper against itself are counted apart. Figures that differ for one reason are
    one line, whatever the numbers in it.
    """
    is_of_paper = pl.col("location") != AGAINST_ITSELF
    for (study,), rows in comparison.group_by("study", maintain_order=True):
        own, itself = rows.filter(is_of_paper), rows.filter(~is_of_paper)
        of_file = "".join(f" ({sentence})" for sentence in counted_in_file(own))
        counts = f"{own.height} figures: {_counts(own)}{of_file}"
        say(console, f"The study of {in_words(str(study))}, {counts}")
        if not itself.is_empty():
            say(
                console, f"{AGAINST_ITSELF}, {itself.height} values: {_counts(itself)}", indent="  "
            )
        for numbers in differing(own):
            shown = textwrap.shorten(
                escape_text(numbers), LINES * (console.width - 8), placeholder=" …"
            )
            say(console, shown, indent="  ")


def _counts(rows: pl.DataFrame) -> str:
    counts = dict(rows.group_by("verdict").len().iter_rows())
    return ", ".join(f"{counts[text]} {in_words(text)}" for text in VERDICTS if text in counts)


def print_comparison(comparison: pl.DataFrame, console: Console) -> None:
    """Print every figure, by study and location, with the reasons as numbered notes below.

    What cannot be derived is counted by reason, not listed.
    """
    is_derived = pl.col("verdict") != "not_derivable"
    notes: dict[str, int] = {}
    for (study, location), rows in comparison.filter(is_derived).group_by(
        "study", "location", maintain_order=True
    ):
        say(console, f"The study of {in_words(str(study))} and its reproduction: {location}")
        for row in rows.iter_rows(named=True):
            reason = row["reason"]
            note = "" if reason is None else f" [{notes.setdefault(reason, len(notes) + 1)}]"
            values = f"{row['published_text']} published, {reproduced_text(row)} reproduced"
            sentence = f"{row['repository']}: {row['quantity']}, {values}"
            say(console, f"{sentence}; {in_words(row['verdict'])}{note}", indent="  ")
        console.print()
    for reason, number in notes.items():
        say(console, f"[{number}] {reason}", indent="")
    missing = comparison.filter(~is_derived).group_by("reason", maintain_order=True).len()
    for reason, count in missing.iter_rows():
        say(console, f"{count} not derivable: {reason}")
    console.print()


def _reasons(rows: pl.DataFrame) -> list[tuple[list[str], str]]:
    """Return the locations of the figures that differ for each reason, and its first wording."""
    reasons: dict[str, tuple[list[str], str]] = {}
    for row in rows.iter_rows(named=True):
        reason = str(row["reason"] or "unknown")
        # The same reason with other numbers, or with a further remark, counts as one.
        first = NUMBER.sub("#", reason.partition(";")[0])
        locations, _ = reasons.setdefault(first, ([], reason))
        locations.append(str(row["location"]))
    return list(reasons.values())
