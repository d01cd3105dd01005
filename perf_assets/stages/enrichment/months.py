"""The months that a decision is about: those requested, and all loaded ones that follow."""

from collections.abc import Sequence

from perf_assets.storage.audited_writer import AuditedWriter


def loaded_months(writer: AuditedWriter, table: str, repository: str) -> list[str]:
    """Return the months that ``table`` holds, in order, even where their latest load failed."""
    loads = writer.database.loads(table, repository)
    return loads.filter("is_stored")["month"].to_list()


def from_first(loaded: list[str], months: Sequence[str]) -> list[str]:
    """Return the ``loaded`` months from the first of ``months`` on."""
    first = min(months, default="9999-12")
    return [month for month in loaded if month >= first]
