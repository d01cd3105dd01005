"""The issues that the paper's text gives as examples, and the root cause it gives them for."""

from collections.abc import Iterable, Iterator

from perf_assets.core.paper.figures import (
    Data,
    Figure,
    PaperTables,
    cause_of,
    comparison_row,
    of_cause,
)


def example_issues(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """Whether the published taxonomy gives each example the root cause that the text names.

    The value is 1 where it does, in one row or several, and 0 where it does not.
    """
    for table in tables:
        repository, number = table["repository"], table["number"]
        rows = data.taxonomy.filter(repository=repository, number=number)
        same = of_cause(rows, table)
        figure = Figure(
            f"examples.{repository}.{number}",
            "Section IV, RQ3",
            repository,
            f"#{number} is an example of: {cause_of(table)} (1: yes)",
            "1",
        )
        others = sorted(set(rows["category"]))
        reason = (
            f"the taxonomy has it as {', '.join(others)}" if others else "it is not in the taxonomy"
        )
        note = f"{same.height} rows of the taxonomy" if same.height > 1 else None
        yield comparison_row(
            figure, int(not same.is_empty()), gap=data.taxonomy_gap(), reason=reason, note=note
        )
