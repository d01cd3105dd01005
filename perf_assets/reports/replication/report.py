"""The replication report: papers beside their reproduction, one HTML file that opens offline."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.core.paper.against_itself import PLACE
from perf_assets.core.paper.figures import (
    BUGS,
    CHALLENGES,
    DATASET,
    LOWEST_TRUSTED_NUMBER,
    PROBLEMS,
    Data,
    PaperTables,
)
from perf_assets.core.paper.table_2 import table_2_bugs
from perf_assets.core.paper.trends import agreeing_months
from perf_assets.reports.replication import charts
from perf_assets.reports.replication.beyond import Beyond, beyond_html, read_beyond
from perf_assets.reports.replication.words import reproduced_text
from perf_assets.sources.replication.package import pinned
from perf_assets.sources.replication.paper_figures import paper_figures

FURTHER = {
    PROBLEMS: (
        "Performance problems that users have",
        "The figures of Cao et al., <i>Understanding Performance Problems in Deep Learning Systems"
        "</i> (ESEC/FSE 2022), beside the same counted from the problems that its authors publish. "
        "A problem counts by its first symptom, or for any of the two that it may have.",
    ),
    CHALLENGES: (
        "Challenges of developing applications",
        "The figures that the text of Zhang et al., <i>An Empirical Study of Common Challenges in "
        "Developing Deep Learning Applications</i> (ISSRE 2019), states, beside the same computed "
        "from the questions that are loaded; its own are not public.",
    ),
}
"""The other studies: a heading each, and what is compared."""

VERDICTS = ("exact", "within rounding", "coincides", "differs", "not derivable")

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 Helvetica, Arial, sans-serif; color: #0f172a; margin: 0; background: #fff; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 28px 80px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 21px; margin: 52px 0 6px; }
p { max-width: 780px; margin: 6px 0 14px; color: #334155; }
svg { display: block; max-width: 100%; height: auto; margin: 14px 0; }
.tiles { display: flex; gap: 14px; margin: 26px 0 0; flex-wrap: wrap; }
.tile { border: 1px solid #e2e8f0; border-radius: 8px; padding: 12px 20px; min-width: 150px; }
.tile b { display: block; font-size: 28px; line-height: 1.2; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: 10px 0 26px; }
caption { text-align: left; font-weight: bold; padding: 14px 0 6px; }
th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid #e2e8f0;
         vertical-align: top; }
th { color: #64748b; font-weight: normal; border-bottom: 1px solid #94a3b8; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.why { color: #64748b; font-size: 13px; max-width: 420px; }
.v { border-radius: 10px; padding: 1px 9px; font-size: 12.5px; white-space: nowrap; }
.exact { background: #dcfce7; color: #166534; } .within { background: #ecfccb; color: #3f6212; }
.coincides { background: #fef9c3; color: #854d0e; }
.differs { background: #ffedd5; color: #9a3412; } .not { background: #f1f5f9; color: #475569; }
summary { cursor: pointer; color: #334155; }
@media print { details > * { display: block; } }
"""


@dataclass(frozen=True)
class Reproduction:
    """What the report shows: comparison, data behind the pictures, and results by other tests."""

    comparison: pl.DataFrame
    data: Data
    beyond: Beyond


def read_reproduction(published: Path) -> Reproduction:
    """The findings in the published database."""
    with duckdb.connect(str(published), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        frames = {
            name: connection.sql(f"FROM {name}").pl()
            for name in (
                "analysis.paper_comparison",
                "marts.bug_metrics",
                "marts.paper_trend",
                "replication.taxonomy",
            )
        }
    return Reproduction(
        frames["analysis.paper_comparison"],
        Data(
            frames["marts.bug_metrics"].filter(dataset=DATASET),
            frames["marts.paper_trend"].sort("repository", "series", "month"),
            frames["replication.taxonomy"],
        ),
        read_beyond(published),
    )


def report_html(findings: Reproduction, figures: PaperTables | None = None) -> str:
    """The report as one page of HTML without anything to fetch or to run."""
    parts = "\n".join(_parts(findings, figures or paper_figures()))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>The study and its reproduction</title><style>{STYLE}</style></head>"
        f"<body><main>{parts}</main></body></html>\n"
    )


def _parts(findings: Reproduction, figures: PaperTables) -> Iterator[str]:
    package, data = pinned(), findings.data
    of_study = findings.comparison.filter(pl.col("study") == BUGS)
    comparison = of_study.filter(pl.col("place") != PLACE)
    repositories = " and ".join(data.bugs.get_column("repository").unique().sort())
    yield "<h1>Performance bugs in deep-learning frameworks:<br>the study and its reproduction</h1>"
    yield (
        "<p>The figures of Makkouk, Kim and Chen, <i>An Empirical Study on Performance Bugs in "
        "Deep Learning Frameworks</i> (ICSME 2022), set against the same computed from the "
        f"published data of {escape(repositories)} ({escape(package.repository)}, commit "
        f"{package.commit[:7]}) by the models and statistics that run over live data.</p>"
    )
    yield _tiles(comparison)
    yield "<h2>Figure 1: is the share of performance bugs rising?</h2>"
    yield (
        "<p>Performance bugs among all open, and among all fixed, bug reports. Lines are as "
        "published, circles are counted again from the bug reports at the moment at which the "
        f"authors counted. {_agreement(data.trend)} Of open ones the published data do not hold "
        "reopenings: a report that was closed once counts as closed from its last close on.</p>"
    )
    yield charts.as_svg(charts.figure_1(data.trend))
    yield "<h2>Behind Table II: how performance bugs differ</h2>"
    yield (
        "<p>Share of bug reports up to each value; dashed lines are medians. Fix time and size are "
        f"{_fixes_shown(data)} The scale is logarithmic from the first mark after 0 on; the "
        "largest percent is cut off.</p>"
    )
    yield charts.as_svg(charts.distributions(table_2_bugs(data)))
    yield "<h2>Table III: root causes</h2>"
    yield (
        "<p>Bars are the bugs that the paper counts, by their impact. The black mark shows how "
        "many rows of the published taxonomy are loaded; it has no impacts.</p>"
    )
    yield charts.as_svg(charts.taxonomy(figures["table_3"], data.taxonomy))
    yield from beyond_html(findings.beyond)
    yield "<h2>Every figure</h2>"
    yield from _figures(comparison)
    yield f"<h2>{PLACE}</h2>"
    yield (
        "<p>Values that the paper gives in two places, or that follow from others of its: the one "
        "as published, the other in the column of reproduced ones. Where they differ, the paper "
        "contradicts itself, and no reproduction can have both.</p>"
    )
    yield from _figures(of_study.filter(pl.col("place") == PLACE))
    for study, (heading, what) in FURTHER.items():
        rows = findings.comparison.filter(pl.col("study") == study)
        if not rows.is_empty():
            yield f"<h2>{heading}</h2><p>{what}</p>{_tiles(rows)}"
            yield from _figures(rows)


def _figures(comparison: pl.DataFrame) -> Iterator[str]:
    """A table for each place of the paper, and what the data do not give."""
    derived = comparison.filter(pl.col("verdict") != "not derivable")
    for (place,), rows in derived.group_by("place", maintain_order=True):
        yield _table(str(place), rows)
    missing = comparison.filter(pl.col("verdict") == "not derivable")
    if missing.is_empty():
        return
    yield f"<details><summary>{missing.height} figures that the data do not give</summary>"
    yield _table("Not derivable", missing) + "</details>"


def _fixes_shown(data: Data) -> str:
    if data.taxonomy_gap() is not None:
        return "of all fixed bugs."
    return (
        "of the fixes that give the paper's medians: performance bugs verified by hand whose issue "
        f"number is not below {LOWEST_TRUSTED_NUMBER}, and all other fixed bugs."
    )


def _agreement(trend: pl.DataFrame) -> str:
    """In how many months the counts agree, series by series."""
    told = [
        f"{agreeing_months(months).height} of {months.height} months of the {series} series"
        for (series,), months in trend.group_by("series", maintain_order=True)
    ]
    return f"Both counts agree in {' and '.join(told)}."


def _tiles(comparison: pl.DataFrame) -> str:
    counts = dict(comparison.group_by("verdict").len().iter_rows())
    tiles = "".join(
        f'<div class="tile"><b>{counts.get(verdict, 0)}</b>{_badge(verdict)}</div>'
        for verdict in VERDICTS
    )
    return f'<div class="tiles">{tiles}</div>'


def _table(caption: str, rows: pl.DataFrame) -> str:
    head = (
        '<tr><th>repository</th><th>figure</th><th class="n">published</th>'
        '<th class="n">reproduced</th><th>verdict</th><th></th></tr>'
    )
    body = "".join(_table_row(row) for row in rows.iter_rows(named=True))
    return f"<table><caption>{escape(caption)}</caption>{head}{body}</table>"


def _table_row(row: dict[str, object]) -> str:
    return (
        f"<tr><td>{escape(str(row['repository']))}</td><td>{escape(str(row['quantity']))}</td>"
        f'<td class="n">{escape(str(row["published_text"]))}</td>'
        f'<td class="n">{escape(reproduced_text(row))}</td>'
        f"<td>{_badge(str(row['verdict']))}</td>"
        f'<td class="why">{escape(str(row["reason"] or ""))}</td></tr>'
    )


def _badge(verdict: str) -> str:
    return f'<span class="v {verdict.split(maxsplit=1)[0]}">{verdict}</span>'
