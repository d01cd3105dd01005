"""What a check of an archive finds."""

from dataclasses import dataclass, field

from perf_assets.archive.manifest import Manifest


@dataclass(frozen=True)
class Finding:
    """What the check says of a file, table or figure.

    state : ``equal``, ``differs``, or ``not recomputed``.
    """

    subject: str
    state: str
    details: tuple[str, ...] = ()


@dataclass
class Check:
    """What a check found.

    findings : on files, tables and figures, in this order.
    notes : what to know of it, a sentence each.
    tables : the tables that differ.
    """

    manifest: Manifest
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Return whether all that can be computed again is equal."""
        return all(finding.state != "differs" for finding in self.findings)

    def add(self, subject: str, state: str, *details: str) -> None:
        """Note what was found of ``subject``."""
        self.findings.append(Finding(subject, state, details))
