"""What differs between two states of a study."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from perf_assets.archive.differences import TableDifference


@dataclass(frozen=True)
class Side:
    """One of the two: what it is called, and what it says of itself.

    rules : versions of rules; none where it is not an archive.
    facts : by topic and name, of study, rules and software.
    months : first month, last month and number of months of each repository and tag set.
    is_changed : whether people, secrets or texts were taken out of it.
    address_key : the fingerprint of the key by which its addresses are hashed; None where no key
        is known.
    """

    name: str
    rules: Mapping[str, str]
    facts: Mapping[tuple[str, str], str]
    months: Mapping[str, tuple[str, str, int]]
    is_changed: bool = False
    address_key: str | None = None


@dataclass(frozen=True)
class Compared:
    """A table of both: how it differs, and why.

    causes : of ``source``, ``rules``, ``code``, ``address keys``; a count stands with ``source``
        where rows of issues that changed at the source could be told from others.
    """

    difference: TableDifference
    causes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """What differs between two states of a study.

    only_first, only_second : tables that only one of them has.
    source, rules, code : what changed of each, a sentence each.
    address_keys : the sentence that says why hashed addresses are not compared, if they are not.
    defined : views, macros and whatever else one of them defines otherwise than the other one, or
        no perf-assets does.
    """

    first: Side
    second: Side
    tables: tuple[Compared, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    source: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    address_keys: list[str] = field(default_factory=list)
    defined: list[str] = field(default_factory=list)

    @property
    def differing(self) -> tuple[Compared, ...]:
        """The tables that differ."""
        return tuple(table for table in self.tables if not table.difference.is_equal)

    @property
    def differing_columns(self) -> tuple[TableDifference, ...]:
        """The tables of which a column was not compared, as one of the two lacks it."""
        return tuple(table.difference for table in self.tables if table.difference.columns)

    @property
    def is_equal(self) -> bool:
        """Return whether both have the same tables, columns, rows, views and macros.

        False where hashed addresses are not compared.
        """
        alone = self.only_first or self.only_second or self.defined
        return not (alone or self.differing or self.differing_columns or self.address_keys)
