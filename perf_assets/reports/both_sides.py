"""Both sides of each framework in words: for the report, and for who cannot see the picture."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.reports.writing import keep_picture
from perf_assets.storage.warehouse import reading

MONTHS = "from marts.both_sides order by repository, forum, month"
CORRELATIONS = "from analysis.both_sides order by repository, forum, lag"
TITLE = "what users ask and what is reported, month by month"


@dataclass(frozen=True)
class BothSides:
    """``marts.both_sides`` and ``analysis.both_sides``, in order."""

    months: pl.DataFrame
    correlations: pl.DataFrame

    @property
    def frameworks(self) -> list[tuple[str, str]]:
        """The pairs of repository and forum."""
        pairs = self.months.select("repository", "forum").unique().sort("repository", "forum")
        return pairs.rows()

    @property
    def fingerprint(self) -> str:
        """What tells these data from others."""
        rows = [*self.months.iter_rows(), *self.correlations.iter_rows()]
        return hashlib.sha256(repr(rows).encode()).hexdigest()[:8]


def read_both_sides(published: Path) -> BothSides:
    """Both sides, from the published database."""
    with reading(published) as connection:
        return BothSides(connection.sql(MONTHS).pl(), connection.sql(CORRELATIONS).pl())


def draw(sides: BothSides, path: Path, *, is_new: bool) -> str:
    """Keep the picture at ``path`` up to date; returns it as an address that holds it whole.

    See :func:`perf_assets.reports.writing.keep_picture`.
    """

    def picture() -> str:
        # Drawing takes a second to import.
        from perf_assets.reports.both_sides_chart import both_sides_svg  # noqa: PLC0415

        return both_sides_svg(sides)

    return keep_picture(path, picture if sides.frameworks else None, is_new=is_new)


def sentences(sides: BothSides) -> list[str]:
    """What the picture shows, a sentence for each repository and forum."""
    told = []
    for repository, forum in sides.frameworks:
        months = sides.months.filter(repository=repository, forum=forum)
        told.append(
            f"{repository} and {forum}, {months['month'][0]} to {months['month'][-1]}: "
            f"{_questions(months)}, and {_bugs(months)}; "
            f"{_correlation(sides.correlations.filter(repository=repository, forum=forum))}"
        )
    return told


def _questions(months: pl.DataFrame) -> str:
    decided = months.filter(pl.col("performance_questions").is_not_null())
    asked, about = int(decided["questions"].sum()), int(decided["performance_questions"].sum())
    share = f" ({100 * about / asked:.1f} %)" if asked else ""
    return f"{about:,} of {asked:,} questions are about performance{share}"


def _bugs(months: pl.DataFrame) -> str:
    opened, bugs = int(months["bug_reports"].sum()), int(months["performance_bugs"].sum())
    fixed = int(months["fixed_performance_bugs"].sum())
    share = f" ({100 * bugs / opened:.1f} %)" if opened else ""
    return f"{bugs:,} of {opened:,} bug reports are{share}; {fixed:,} performance bugs were fixed"


def _correlation(rows: pl.DataFrame) -> str:
    known = rows.filter(pl.col("statistic").is_not_null())
    if known.is_empty():
        return str(rows["result"][0]) if rows.height else "no correlation: not computed"
    outside = known.filter("is_outside_band")
    if outside.is_empty():
        return "at no lag of a year each way do they go together more than by chance"
    lags = ", ".join(
        f"{lag:+d} ({statistic:+.2f})"
        for lag, statistic in outside.select("lag", "statistic").iter_rows()
    )
    return (
        "they go together more than by chance where performance bugs are later by so many months: "
        f"{lags} (rank correlation in brackets); a season or an event that both follow does so too"
    )
