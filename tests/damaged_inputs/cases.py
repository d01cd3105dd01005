"""All kinds of inputs, and trying many of their cases."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.damaged_inputs import (
    documents,
    forums,
    repositories,
    sheets,
    sources,
    stores,
    surroundings,
)
from tests.damaged_inputs.kinds import FindingError, Kind, Surroundings, outcome

MODULES = (documents, sheets, forums, sources, surroundings, stores, repositories)
KINDS: dict[str, Kind] = {kind.name: kind for module in MODULES for kind in module.KINDS}


@dataclass
class Tried:
    """What came of some cases of a kind."""

    ends: Counter[str] = field(default_factory=Counter)
    findings: list[FindingError] = field(default_factory=list)


def share_of(kind: Kind, cases: int) -> int:
    """How many of so many ``cases`` are of ``kind``; at least one."""
    return max(1, cases * kind.share // sum(one.share for one in KINDS.values()))


def tried(kind: Kind, surroundings: Surroundings, seeds: range) -> Iterator[Tried]:
    """Try the cases of ``kind`` with these ``seeds``; what came of them so far, after each."""
    try_one = kind.prepare(surroundings)
    result = Tried()
    for seed in seeds:
        try:
            result.ends[outcome(kind.name, try_one, seed)] += 1
        except FindingError as finding:
            result.findings.append(finding)
        yield result
