"""How soon bugs are fixed: the curves of cumulative incidence in words, and as a picture."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.reports.writing import keep_picture
from perf_assets.storage.warehouse import reading

TITLE = "how soon bugs are fixed, when closing without a fix competes"
CURVES = """
from analysis.fix_curves
where dataset = ? and repository <> 'pooled'
order by repository, event, is_performance, days
"""
SENTENCES = """
select repository || ': ' || result
from analysis.fix_incidence
where dataset = ? and repository <> 'pooled' and event = 'fixed' and days = 365
order by repository
"""


@dataclass(frozen=True)
class FixCurves:
    """Rows of ``analysis.fix_curves`` of one dataset by repository, and what they say."""

    rows: pl.DataFrame
    sentences: list[str]

    @property
    def fingerprint(self) -> str:
        """What tells these data from others."""
        return hashlib.sha256(repr(list(self.rows.iter_rows())).encode()).hexdigest()[:8]

    @property
    def has_fixes(self) -> bool:
        """Whether anything was fixed, so that there is something to draw."""
        return bool(self.rows.filter(event="fixed")["events"].sum())


def read_fix_curves(published: Path, dataset: str = "live") -> FixCurves:
    """The curves, from the published database."""
    with reading(published) as connection:
        rows = connection.sql(CURVES, params=[dataset]).pl()
        sentences = connection.sql(SENTENCES, params=[dataset]).fetchall()
    return FixCurves(rows, [sentence for (sentence,) in sentences])


def draw_fix_curves(curves: FixCurves, path: Path, *, is_new: bool) -> str:
    """Keep the picture at ``path`` up to date; returns it as an address that holds it whole.

    See :func:`perf_assets.reports.writing.keep_picture`.
    """
    if not curves.has_fixes:
        return keep_picture(path, None, is_new=is_new)

    def picture() -> str:
        # Drawing takes a second to import.
        from perf_assets.reports.fix_curves_chart import fix_curves_svg  # noqa: PLC0415

        return fix_curves_svg(curves.rows)

    return keep_picture(path, picture, is_new=is_new)
