"""A drawing of which table is made from which: layers from left to right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

Corners = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Drawing:
    """What is drawn, in pixels.

    layers : the headings: the schemas of a column, and its middle.
    arrows : from a table to one that reads it, with the path of an SVG element.
    boxes : the tables, with their upper left corners.
    """

    width: float
    height: float
    layers: list[tuple[Sequence[str], float]]
    arrows: list[tuple[str, str, str]]
    boxes: list[tuple[str, float, float]]
    box_width: int = WIDTH
    box_height: int = HEIGHT


def draw_lineage(made_from: Mapping[str, Sequence[str]]) -> Drawing:
    """Return the tables as boxes, and an arrow from each to what reads it."""
    corners = _corners(made_from)
    return Drawing(
        width=(len(LAYERS) - 1) * COLUMN + WIDTH,
        height=round(max(y for _, y in corners.values()) + ROW),
        layers=[(schemas, index * COLUMN + WIDTH / 2) for index, schemas in enumerate(LAYERS)],
        arrows=[
            (source, table, _path(corners[source], corners[table]))
            for table, upstream in made_from.items()
            for source in upstream
            if source in corners and table in corners
        ],
        boxes=[(table, *corner) for table, corner in corners.items()],
    )


def _corners(made_from: Mapping[str, Sequence[str]]) -> Corners:
    """Return where each table stands: beside those it is made from and those made of it."""
    columns = [
        [table for table in made_from if table.split(".")[0] in schemas] for schemas in LAYERS
    ]
    neighbours: dict[str, list[str]] = {table: [*upstream] for table, upstream in made_from.items()}
    for table, upstream in made_from.items():
        for source in upstream:
            neighbours.setdefault(source, []).append(table)
    for _ in range(SWEEPS):
        rows = _rows(columns)

        def place(table: str, rows: dict[str, float] = rows) -> tuple[float, str]:
            beside = [*neighbours[table], table]
            return mean(rows.get(neighbour, rows[table]) for neighbour in beside), table

        for column in columns:
            column.sort(key=place)
    rows = _rows(columns)
    return {
        table: (index * COLUMN, TOP + rows[table] * ROW)
        for index, column in enumerate(columns)
        for table in column
    }


def _rows(columns: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the row of each table, shorter columns in the middle."""
    most = max(map(len, columns))
    return {
        table: row + (most - len(column)) / 2
        for column in columns
        for row, table in enumerate(column)
    }


def _path(source: tuple[float, float], table: tuple[float, float]) -> str:
    (left, top), (right, bottom) = source, table
    y1, y2 = top + HEIGHT / 2, bottom + HEIGHT / 2
    if left == right:  # within a layer: around the outside
        x = left + WIDTH
        return f"M{x},{y1} C{x + 34},{y1} {x + 34},{y2} {x},{y2}"
    x1, bend = left + WIDTH, max(40, (right - left - WIDTH) / 2)
    return f"M{x1},{y1} C{x1 + bend},{y1} {right - bend},{y2} {right},{y2}"
