"""Records of a corpus that cannot be used: counted by reason, and reported once."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from perf_assets.base.config_files import reason as reason_of
from perf_assets.base.sanitize import escape_text

log = logging.getLogger(__name__)

MOST_REASONS = 100  # of a file; further ones are counted as one


@dataclass(frozen=True)
class SetAside:
    """Records of one kind (``issues``, ``comments``) that were left out for one reason.

    ``line`` is where the first of them is in its file.
    """

    kind: str
    reason: str
    line: int
    count: int = 1


class SetAsideRecords:
    """Counts the records of a file that are left out."""

    def __init__(self, kind: str) -> None:
        """Start without records."""
        self._kind = kind
        self._by_reason: dict[str, SetAside] = {}

    def __iter__(self) -> Iterator[SetAside]:
        """Iterate over the reasons, the most frequent first."""
        return iter(sorted(self._by_reason.values(), key=lambda entry: -entry.count))

    def add(self, line: int, reason: str) -> None:
        """Count the record in ``line``."""
        if reason not in self._by_reason and len(self._by_reason) >= MOST_REASONS:
            reason = "another reason"
        known = self._by_reason.get(reason)
        self._by_reason[reason] = (
            SetAside(self._kind, reason, line)
            if known is None
            else replace(known, count=known.count + 1)
        )

    def add_error(self, line: int, error: ValidationError) -> None:
        """Count the record in ``line``, which has a wrong value or lacks one."""
        first = error.errors(include_url=False)[0]
        key = ".".join(part for part in first["loc"] if isinstance(part, str))
        self.add(line, escape_text(f"{key}: {reason_of(first)}" if key else reason_of(first)))

    def report(self, path: Path) -> None:
        """Log a sentence for each reason."""
        for entry in self:
            log.warning(
                "%s: set aside %s %s, the first in line %d: %s; correct or remove these lines",
                path,
                f"{entry.count:,}",
                entry.kind if entry.count > 1 else entry.kind.removesuffix("s"),
                entry.line,
                entry.reason,
            )
