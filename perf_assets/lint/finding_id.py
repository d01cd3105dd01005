"""The identity of a finding across versions of a project.

A finding is identified by its rule, its path, and the text of its line without the white space
around it; where a file has several that are alike in all three, by how many of these stand above
it. So a line that moves up or down, or is indented anew, is the same finding, and a line that is
written anew is another: what was there is gone and something new has come. Where a file was renamed
the path before is needed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from perf_assets.lint.findings import Finding

MOST_CHARACTERS = 1_000  # of a line; a notebook may be one line as a whole


class Identified(NamedTuple):
    """A finding and its identity.

    code : the text of its line, without the white space around it, cut where it is very long.
    earlier_duplicates : how many findings of the file before it are alike in rule and code.
    """

    finding: Finding
    code: str
    earlier_duplicates: int


def identified(findings: Iterable[Finding], lines: Iterable[str]) -> Iterator[Identified]:
    """Yield the ``findings`` of one file from the top, with the text of their lines and unique
    ids.
    """
    alike: Counter[tuple[str, str]] = Counter()
    for finding, line in sorted(zip(findings, lines)):
        code = line.strip()[:MOST_CHARACTERS]
        yield Identified(finding, code, alike[finding.rule, code])
        alike[finding.rule, code] += 1


def identity(path: str, rule: str, code: str, earlier_duplicates: int) -> str:
    """Return a name for a finding: ``f`` and 16 hexadecimal digits of a SHA-256.

    The letter keeps spreadsheets from taking it for a number.
    """
    text = "\0".join((rule, path, code, str(earlier_duplicates)))
    return f"f{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
