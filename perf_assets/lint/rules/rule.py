"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module

BATCH_API = ("API", "Not using batch API")
API_USAGE = ("API", "Inefficient API usage")
GRAPH = ("Model", "Confusion with computation graph")
TRANSMISSION = ("Data", "Inefficient data transmission")


@dataclass(frozen=True)
class Rule:
    """A kind of performance problem, and how it is found in one module.

    Attributes
    ----------
    name
        The word that findings carry, as `sequential-map`; its page is `docs/checks/<name>.md`.
    code
        The short id for `--select` and `# noqa`, as `PA103`; TorchFix's own where it has the rule.
    summary
        One sentence without a full stop.
    severity
        The most that a finding of it has.
    on
        Whether it is checked when nobody selects rules.
    find
        The locations in a module.
    cause
        The root cause, a category and sub-category of the codebook of Cao et al. (ESEC/FSE 2022).
    framework
        `tensorflow` or `torch`: a text that does not name it is not looked at.
    """

    name: str
    code: str
    summary: str
    severity: Severity
    on: bool
    find: Callable[[Module], Iterable[Hit]]
    cause: tuple[str, str]
    framework: str = "tensorflow"

    def answers_to(self, word: str) -> bool:
        """Return whether a word of `--select` means this rule (see `named`)."""
        return word in ("all", "ALL", self.name) or (
            bool(word) and self.code.startswith(word.upper())
        )
