"""The monthly series that alerts are raised on, and the changes in each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import polars as pl

from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.statistics.change_points import (
    FALSE_ALARM_SHARE,
    LEAST_MONTHS,
    Change,
    MonthlySeries,
    change_points,
)
from perf_assets.core.statistics.minimum_events import COMPARISON, REGRESSION
from perf_assets.core.statistics.samples import Floats

SHARE, BACKLOG = "opened_share", "backlog_growth"
ANSWER, FIX = "hours_to_first_comment", "fix_time_days"
SERIES = (SHARE, BACKLOG, ANSWER, FIX)

LEAST_DIFFERENCE = {SHARE: 0.05, BACKLOG: 1.0}
LEAST_FACTOR = 1.5
LEAST_OF_FACTOR = 0.02
"""Below these nothing is raised: a share must change by LEAST_DIFFERENCE or, where it is small, by
LEAST_FACTOR and LEAST_OF_FACTOR; a backlog by so many performance bugs a month more or less; a
median time by LEAST_FACTOR."""

LONGEST_HOURS = 720.0
"""Who waited for longer for an answer counts with it, answered since or not: thirty days after it
was opened all of that is known of a report, so that new and old months are held to the same."""

LEAST_HOURS, LEAST_DAYS = 0.1, 0.1
LEAST_TIME = {ANSWER: LEAST_HOURS, FIX: LEAST_DAYS}
"""Shorter times are told apart no further, so that no factor is of nothing."""


@dataclass(frozen=True)
class Raised:
    """A change of one series of a repository, or of one of its areas.

    Attributes
    ----------
    month, first_month, last_month : the first month of the new level, and the first and the last of
        the months compared.
    level_before, level_after, effect : in the unit of the series; the effect is the difference, of
        times the factor.
    n_before, n_after : bug reports behind the levels.
    numbers : the performance bugs behind the level after the change, sorted.
    """

    repository: str
    area: str | None
    series: str
    month: str
    first_month: str
    last_month: str
    months_before: int
    months_after: int
    level_before: float
    level_after: float
    effect: float
    n_before: int
    n_after: int
    change: Change
    numbers: tuple[int, ...]

    @property
    def direction(self) -> str:
        """Return whether the level went up or down."""
        return "up" if self.level_after > self.level_before else "down"


def raised_changes(counts: pl.DataFrame, reports: pl.DataFrame) -> Iterator[Raised]:
    """Yield all changes of the series of repositories and areas that are large enough.

    Parameters
    ----------
    counts : a row for each repository, area (NULL: the whole repository) and month:
        opened_performance, opened_total, and open_performance at its end. Complete months alone,
        all of a repository.
    reports : the performance bugs: repository, area, number, month, closed_month and fix_time_days
        (NULL unless fixed), hours_to_first_comment. One of several areas is there for each.

    Returns
    -------
    The changes by repository, area (the whole first) and series, each in the order of months.
    Subjects with too few performance bugs or months are passed over before anything is computed.
    """
    subject = ["repository", "area"]
    enough = (
        counts.group_by(subject)
        .agg(pl.col("opened_performance").sum(), pl.len().alias("months"))
        .filter(pl.col("opened_performance") >= REGRESSION, pl.col("months") >= LEAST_MONTHS)
        .sort(subject, nulls_last=False)
    )
    if enough.is_empty():
        return
    counts, reports = (
        rows.join(enough.select(subject), on=subject, how="semi", nulls_equal=True)
        for rows in (counts, reports)
    )
    months = {
        repository: tuple(of["month"].unique().sort())
        for (repository,), of in counts.partition_by("repository", as_dict=True).items()
    }
    parts = counts.partition_by(subject, as_dict=True)
    bugs = reports.partition_by(subject, as_dict=True)
    areas = Counter(enough.drop_nulls("area")["repository"])
    for repository, area in enough.select(subject).iter_rows():
        of_area = bugs.get((repository, area), reports.clear()).sort("number")
        months_of_area = parts[repository, area]
        of_subject = _Subject(repository, area, months[repository], months_of_area, of_area)
        # All areas of a repository together may alarm falsely as often as the repository does.
        most = FALSE_ALARM_SHARE if area is None else FALSE_ALARM_SHARE / areas[repository]
        yield from (raised for raised in of_subject.raised() if raised.change.p_value <= most)


@dataclass(frozen=True)
class _Subject:
    """A repository or an area of it, with its months, counts by month and performance bugs."""

    repository: str
    area: str | None
    months: Sequence[str]
    counts: pl.DataFrame
    reports: pl.DataFrame

    def raised(self) -> Iterator[Raised]:
        opened, total = self._counted("opened_performance"), self._counted("opened_total")
        yield from self._of_counts(SHARE, opened, total)
        levels = self._counted("open_performance")
        grown = np.diff(levels, prepend=levels[:1])
        grown[:1] = opened[:1] = 0  # what was open before is not known
        # What left the backlog: closed, or no performance bug any more. Reopened ones enter it.
        left = np.maximum(opened - grown, 0)
        entered = left + grown
        yield from self._of_counts(BACKLOG, entered, entered + left)
        answered = self.reports.select(
            pl.col("number", "month"),
            value=pl.col("hours_to_first_comment").fill_null(LONGEST_HOURS).clip(0, LONGEST_HOURS),
        )
        yield from self._of_times(ANSWER, answered, self.months[:-1])
        fixed = self.reports.drop_nulls("fix_time_days").select(
            "number", month="closed_month", value="fix_time_days"
        )
        yield from self._of_times(FIX, fixed, self.months)

    def _counted(self, column: str) -> Floats:
        """Return a column of the counts by month, 0 where there is no row."""
        counts = dict(self.counts.select("month", column).iter_rows())
        return np.array([counts.get(month) or 0 for month in self.months], dtype=float)

    def _of_counts(self, name: str, events: Floats, totals: Floats) -> Iterator[Raised]:
        if min(events.sum(), (totals - events).sum()) < REGRESSION:
            return
        for change in change_points(MonthlySeries("share", events, totals)):
            k, n, months = (
                np.array([part[slice_].sum() for slice_ in _sides(change)])
                for part in (events, totals, np.ones_like(totals))
            )
            before, after = (2 * k - n) / months if name == BACKLOG else k / n
            if min(n) >= COMPARISON and is_large(name, before, after):
                after_it = self.months[change.at : change.end]
                is_after = pl.col("month").is_between(pl.lit(after_it[0]), pl.lit(after_it[-1]))
                numbers = tuple(self.reports.filter(is_after)["number"])
                effect = after - before
                yield self._raised(name, change, self.months, (before, after), effect, n, numbers)

    def _of_times(self, name: str, values: pl.DataFrame, months: Sequence[str]) -> Iterator[Raised]:
        position = {month: index for index, month in enumerate(months)}
        known = values.filter(pl.col("month").is_in(list(months)))
        at = np.array([position[month] for month in known["month"]], dtype=int)
        times = known["value"].to_numpy().astype(float)
        if len(times) < 2 * COMPARISON or times.min() == times.max():
            return
        totals = np.bincount(at, minlength=len(months)).astype(float)
        scores = _normal_scores(known["value"])
        sums: Floats = np.bincount(at, scores, len(months)).astype(float)
        for change in change_points(MonthlySeries("scores", sums, totals)):
            sides = [(at >= side.start) & (at < side.stop) for side in _sides(change)]
            n = np.array([side.sum() for side in sides])
            if min(n) < COMPARISON:
                continue
            before, after = (max(float(np.median(times[side])), LEAST_TIME[name]) for side in sides)
            if is_large(name, before, after):
                numbers = tuple(known["number"].to_numpy()[sides[1]].tolist())
                effect = after / before
                yield self._raised(name, change, months, (before, after), effect, n, numbers)

    def _raised(
        self,
        name: str,
        change: Change,
        months: Sequence[str],
        levels: tuple[float, float],
        effect: float,
        n: Iterable[float],
        numbers: tuple[int, ...],
    ) -> Raised:
        n_before, n_after = n
        return Raised(
            self.repository,
            self.area,
            name,
            month=months[change.at],
            first_month=months[change.start],
            last_month=months[change.end - 1],
            months_before=change.at - change.start,
            months_after=change.end - change.at,
            level_before=float(levels[0]),
            level_after=float(levels[1]),
            effect=float(effect),
            n_before=int(n_before),
            n_after=int(n_after),
            change=change,
            numbers=numbers,
        )


def is_large(series: str, before: float, after: float) -> bool:
    """Return whether the levels of ``series`` differ by enough to be raised."""
    difference = abs(after - before)
    is_factor = max(before, after) >= LEAST_FACTOR * min(before, after)
    if series not in LEAST_DIFFERENCE:
        return is_factor
    is_large_share = series == SHARE and is_factor and difference >= LEAST_OF_FACTOR
    return difference >= LEAST_DIFFERENCE[series] or is_large_share


def _sides(change: Change) -> tuple[slice, slice]:
    return slice(change.start, change.at), slice(change.at, change.end)


def _normal_scores(values: pl.Series) -> Floats:
    """Van der Waerden's scores of the ranks, of mean 0 and variance 1: few long waits rule none."""
    normal = NormalDist()
    ranks = values.rank("average").to_numpy() / (len(values) + 1)
    by_rank = {rank: normal.inv_cdf(rank) for rank in np.unique(ranks)}
    scores = np.array([by_rank[rank] for rank in ranks])
    standard: Floats = (scores - scores.mean()) / scores.std()
    return standard


def sentence(raised: Raised) -> str:
    """Return the change in words, without its repository."""
    where = f"in {raised.area}, " if raised.area else ""
    return f"{where}{_NOUNS[raised.series]} changed in {raised.month} from {levels_text(raised)}"


def full_sentence(raised: Raised) -> str:
    """Return the change in words with its months and how likely chance alone makes it."""
    return (
        f"{sentence(raised)}; {raised.months_before} months before and {raised.months_after} since "
        f"({raised.first_month} to {raised.last_month}), with {raised.n_before:,} and "
        f"{raised.n_after:,} {_COUNTED[raised.series]}; "
        f"{p_text(raised.change.p_value)}"
    )


_NOUNS = {
    SHARE: "share of performance bugs among new reports",
    BACKLOG: "growth of the open performance bugs",
    ANSWER: "median hours to the first comment on performance bugs",
    FIX: "median days until performance bugs are fixed",
}
_COUNTED = {
    SHARE: "bug reports",
    BACKLOG: "performance bugs opened or closed",
    ANSWER: "performance bugs",
    FIX: "fixed performance bugs",
}


def levels_text(raised: Raised) -> str:
    """Return the levels before and after, with their unit."""
    before, after = raised.level_before, raised.level_after
    if raised.series == SHARE:
        return f"{_share(before, raised.n_before)} to {_share(after, raised.n_after)}"
    if raised.series == BACKLOG:
        return f"{before:+.1f} to {after:+.1f} a month"
    is_cut = raised.series == ANSWER and max(before, after) >= LONGEST_HOURS
    bound = ("at least " if after > before else "at most ") if is_cut else ""
    factor = f"{bound}{raised.effect:.2g} times as long"
    return f"{_time(raised.series, before)} to {_time(raised.series, after)}, {factor}"


def _share(share: float, n: int) -> str:
    # It takes SciPy, which only those need who have an alert.
    from perf_assets.core.statistics.agreement import wilson_interval  # noqa: PLC0415

    interval = wilson_interval(round(share * n), n)
    assert interval.low is not None and interval.high is not None
    limits = f"[{100 * interval.low:.2g}, {100 * interval.high:.2g}]"
    return f"{100 * share:.1f} % {limits} of {n:,}"


def _time(series: str, level: float) -> str:
    if series == ANSWER and level >= LONGEST_HOURS:
        return "no answer within 30 days"
    return f"{level:,.3g}"
