"""The only writer of Markdown tables."""

from collections.abc import Callable, Collection, Iterable, Sequence

from perf_assets.base.sanitize import for_markdown


def markdown_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Collection[int] = (),
    cell: Callable[[str], str] = for_markdown,
) -> str:
    """Return a table, without a final line break.

    Parameters
    ----------
    numeric
        Positions of the columns that are aligned to the right.
    cell
        How a text becomes a cell; by default no Markdown in it is rendered.
    """
    rules = ["---:" if index in numeric else "---" for index in range(len(columns))]
    lines = [map(cell, columns), rules, *(map(cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
