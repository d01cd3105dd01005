"""The state of what is stored: partitions and their audits as a grid, data quality as curves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import duckdb

from perf_assets.months import months_between
from perf_assets.sanitize import escape_text

PARTITIONS = """
SELECT
    loads.repository, loads."table", loads.month,
    CASE
        WHEN loads.status = 'failed' THEN 'refused'
        WHEN NOT loads.is_stored THEN 'missing'
        WHEN audits.broken_warning > 0 THEN 'warned'
        ELSE 'passed'
    END AS state,
    concat_ws(
        chr(10),
        loads."table" || ' ' || loads.month || ': ' || loads.row_count || ' rows, loaded '
            || strftime(loads.loaded_at, '%Y-%m-%d %H:%M UTC'),
        'audit: ' || audits.outcome || '; ' || audits.rules || ' rules, '
            || audits.broken_critical || ' critical and ' || audits.broken_warning
            || ' other broken',
        loads.message
    ) AS words
FROM meta.partition_loads AS loads
LEFT JOIN meta.audit_results AS audits USING (repository, month, "table")
ORDER BY ALL
"""
QUALITY = """
SELECT repository, measure, month, value, median_before, is_odd
FROM marts.month_quality WHERE dataset = 'live' ORDER BY ALL
"""
ABOUT = """
SELECT topic, fact, value, meaning FROM meta.about
WHERE topic <> 'rows' ORDER BY list_position(
    ['database', 'study', 'rules', 'sources', 'software'], topic), fact
"""
CELL, LABEL, TOP = 14, 196, 18
SQUARE = CELL - 2
CURVE_WIDTH, CURVE_HEIGHT = 300, 76
STATES = {
    "passed": "stored, all rules hold",
    "warned": "stored, with warnings",
    "refused": "refused: what was stored before stays",
    "missing": "not loaded",
}


@dataclass(frozen=True)
class Partition:
    """A partition of a table: whether it is stored, and what its last audit said."""

    state: str
    words: str


class Point(NamedTuple):
    """A month of a measure."""

    month: str
    value: float | None
    median: float | None
    is_odd: bool


def state_html(connection: duckdb.DuckDBPyConnection) -> str:
    """The facts of the database, a grid for each repository, and curves of its data quality."""
    parts = [
        f"<h3>About this database</h3>{about_html(connection.execute(ABOUT).fetchall())}",
        "<h3>Partitions and their audits</h3>",
        "<p>A square for each month of each table. ",
        *(
            f'<span class="key"><svg width="11" height="11"><rect class="{name}" width="10" '
            f'height="10" rx="2"/></svg> {escape(words)}</span> '
            for name, words in STATES.items()
        ),
        "</p>",
    ]
    repositories: dict[str, dict[str, dict[str, Partition]]] = {}
    for repository, table, month, state, words in connection.execute(PARTITIONS).fetchall():
        tables = repositories.setdefault(repository, {})
        lines = "\n".join(map(escape_text, words.splitlines()))
        tables.setdefault(table, {})[month] = Partition(state, lines)
    curves: dict[str, dict[str, list[Point]]] = {}
    for repository, measure, *point in connection.execute(QUALITY).fetchall():
        curves.setdefault(repository, {}).setdefault(measure, []).append(Point(*point))
    for repository, tables in repositories.items():
        parts.append(f"<h4>{escape(escape_text(repository))}</h4>{grid_svg(tables)}")
        if repository in curves:
            parts.append(
                "<p>Data quality by month: the value, and the median of the twelve months before "
                '(dashed). A month far outside is marked.</p><div class="curves">'
            )
            parts += [curve_svg(measure, points) for measure, points in curves[repository].items()]
            parts.append("</div>")
    return "".join(parts)


def about_html(facts: Sequence[tuple[str, str, str, str]]) -> str:
    """The rows of meta.about as a table."""
    rows = "".join(
        f"<tr><td>{escape(topic)}</td><td>{escape(fact)}</td><td>{escape(escape_text(value))}</td>"
        f"<td>{escape(meaning)}</td></tr>"
        for topic, fact, value, meaning in facts
    )
    return (
        '<table class="about"><tr><th>topic</th><th>fact</th><th>value</th><th>meaning</th></tr>'
        f"{rows}</table>"
    )


def grid_svg(tables: Mapping[str, Mapping[str, Partition]]) -> str:
    """A row for each table, a square for each month; what it says stands in its title."""
    all_months = sorted({month for months in tables.values() for month in months})
    months = months_between(all_months[0], all_months[-1])
    width, height = LABEL + CELL * len(months) + 4, TOP + CELL * len(tables) + 4
    parts = [f'<svg class="grid" width="{width}" height="{height}" role="img">']
    for place, month in enumerate(months):
        if month.endswith("-01") or place == 0:
            parts.append(f'<text x="{LABEL + place * CELL}" y="12">{month[:4]}</text>')
    for row, (table, partitions) in enumerate(tables.items()):
        y = TOP + row * CELL
        parts.append(f'<text x="{LABEL - 6}" y="{y + 10}" text-anchor="end">{escape(table)}</text>')
        for place, month in enumerate(months):
            one = partitions.get(month, Partition("missing", f"{table} {month}: not loaded"))
            parts.append(
                f'<rect class="{one.state}" x="{LABEL + place * CELL}" y="{y}" width="{SQUARE}" '
                f'height="{SQUARE}" rx="2"><title>{escape(one.words)}</title></rect>'
            )
    return "".join([*parts, "</svg>"])


def curve_svg(measure: str, points: Sequence[Point]) -> str:
    """A measure over the months, the median before it dashed, odd months marked."""
    highest = max((point.value or 0 for point in points), default=0) or 1
    step = CURVE_WIDTH / max(1, len(points) - 1)

    def at(place: int, value: float) -> tuple[float, float]:
        return place * step, CURVE_HEIGHT - 4 - (CURVE_HEIGHT - 12) * min(value / highest, 1.1)

    def line(values: Iterable[float | None]) -> str:
        places = [at(place, value) for place, value in enumerate(values) if value is not None]
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)

    marks = []
    for place, point in enumerate(points):
        if point.is_odd and point.value is not None:
            x, y = at(place, point.value)
            words = f"{point.month}: {_number(point.value)}, "
            words += f"the months before {_number(point.median or 0)}"
            marks.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(words)}</title></circle>'
            )
    return (
        f"<figure><figcaption>{escape(measure)} <small>0 to {_number(highest)}, "
        f"{points[0].month} to {points[-1].month}</small></figcaption>"
        f'<svg class="curve" width="{CURVE_WIDTH + 10}" height="{CURVE_HEIGHT}" '
        f'viewBox="-5 0 {CURVE_WIDTH + 10} {CURVE_HEIGHT}" role="img">'
        f'<polyline class="median" points="{line(point.median for point in points)}"/>'
        f'<polyline points="{line(point.value for point in points)}"/>{"".join(marks)}'
        "</svg></figure>"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
