"""A drawing of which table is made from which: layers from left to right, as SVG."""

from collections.abc import Mapping, Sequence
from html import escape
from statistics import mean

LAYERS = (
    ("raw", "replication", "reviews"),
    ("labels", "links", "details"),
    ("staging",),
    ("intermediate",),
    ("marts",),
    ("analysis",),
)
COLUMN, WIDTH, ROW, HEIGHT, TOP = 236, 176, 27, 20, 34
SWEEPS = 6

Places = dict[str, tuple[float, float]]


def lineage_svg(made_from: Mapping[str, Sequence[str]]) -> str:
    """The tables as boxes that lead to their sections, and an arrow from each to what reads it."""
    places = _places(made_from)
    arrows = [
        _arrow(source, table, places)
        for table, upstream in made_from.items()
        for source in upstream
        if source in places and table in places
    ]
    boxes = [_box(table, *place) for table, place in places.items()]
    titles = [
        f'<text class="layer" x="{place * COLUMN + WIDTH / 2}" y="16" text-anchor="middle">'
        f"{escape(' · '.join(schemas))}</text>"
        for place, schemas in enumerate(LAYERS)
    ]
    height = max(y for _, y in places.values()) + ROW
    width = (len(LAYERS) - 1) * COLUMN + WIDTH
    return (
        f'<svg class="lineage" viewBox="0 0 {width} {height:.0f}" width="{width}" '
        f'height="{height:.0f}" role="img" aria-label="Which table is made from which">'
        f"{''.join(titles)}{''.join(arrows)}{''.join(boxes)}</svg>"
    )


def _places(made_from: Mapping[str, Sequence[str]]) -> Places:
    """Where each table stands: beside those it is made from and those made of it."""
    columns = [
        [table for table in made_from if table.split(".")[0] in schemas] for schemas in LAYERS
    ]
    neighbours: dict[str, list[str]] = {table: [*upstream] for table, upstream in made_from.items()}
    for table, upstream in made_from.items():
        for source in upstream:
            neighbours.setdefault(source, []).append(table)
    most = max(map(len, columns))
    for _ in range(SWEEPS):
        rows = _rows(columns, most)
        for column in columns:
            column.sort(
                key=lambda table: (
                    mean(rows.get(one, rows[table]) for one in [*neighbours[table], table]),
                    table,
                )
            )
    rows = _rows(columns, most)
    return {
        table: (place * COLUMN, TOP + rows[table] * ROW)
        for place, column in enumerate(columns)
        for table in column
    }


def _rows(columns: Sequence[Sequence[str]], most: int) -> dict[str, float]:
    """The row of each table, shorter columns in the middle."""
    return {
        table: row + (most - len(column)) / 2
        for column in columns
        for row, table in enumerate(column)
    }


def _arrow(source: str, table: str, places: Places) -> str:
    (left, top), (right, bottom) = places[source], places[table]
    y1, y2 = top + HEIGHT / 2, bottom + HEIGHT / 2
    if left == right:  # within a layer: around the outside
        x = left + WIDTH
        path = f"M{x},{y1} C{x + 34},{y1} {x + 34},{y2} {x},{y2}"
    else:
        x1, bend = left + WIDTH, max(40, (right - left - WIDTH) / 2)
        path = f"M{x1},{y1} C{x1 + bend},{y1} {right - bend},{y2} {right},{y2}"
    return f'<path data-from="{escape(source)}" data-to="{escape(table)}" d="{path}"/>'


def _box(table: str, x: float, y: float) -> str:
    schema, name = table.split(".")
    return (
        f'<a href="#{escape(table)}" data-table="{escape(table)}" class="{escape(schema)}">'
        f"<title>{escape(table)}</title>"
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        f'<text x="{x + 8}" y="{y + 14}">{escape(name)}</text></a>'
    )
