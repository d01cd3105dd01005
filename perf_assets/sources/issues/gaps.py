"""Gaps in the answers of a source: entries that cannot be stored, and withheld values.

A rule about an entry costs that entry: it is set aside with its reason and counted, and the rest of
the answer is used.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["withheld", "missing", "unusable", "unknown"]

ENTRY = "entry"  # the missing part if it is not a field


@dataclass(frozen=True)
class Gap:
    """Something that the answers of a source lack of an issue, or a whole issue.

    number, month : of the issue; None where not even that is known.
    entity : ``issues``, or the list of the issue that lacks something.
    lacks : ``entry``, or the field that is null or has a value that is not known.
    entries : how many it is about; None where they have to be counted first.
    """

    number: int | None
    month: str | None
    entity: str
    lacks: str
    kind: Kind
    reason: str
    entries: int | None = 1

    @property
    def is_issue(self) -> bool:
        """Return whether a whole issue is not stored."""
        return self.entity == "issues" and self.lacks == ENTRY
