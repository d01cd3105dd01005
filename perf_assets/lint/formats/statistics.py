"""How often each rule found something."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from perf_assets.lint.files.results import FileResult
from perf_assets.lint.rules.rule import Rule


def statistics(
    results: Sequence[FileResult], rules: Mapping[str, Rule], *, is_json: bool = False
) -> str:
    """Return a line, or an object, for each rule with findings; the most frequent first.

    `[*]` is before the name of a rule all of whose findings `--fix` mends, `[-]` where it mends
    some.
    """
    findings = [finding for result in results for finding in result.findings]
    counts = Counter(finding.rule for finding in findings)
    mended = Counter(finding.rule for finding in findings if finding.edits)
    ordered = sorted(counts, key=lambda name: (-counts[name], rules[name].code))
    if is_json:
        entries = [
            {
                "code": rules[name].code,
                "name": name,
                "count": counts[name],
                "fixable": mended[name] == counts[name],
                "fixable_count": mended[name],
            }
            for name in ordered
        ]
        return json.dumps(entries, indent=1) + "\n"
    width = len(str(max(counts.values(), default=0)))
    return "".join(
        f"{counts[name]:>{width}}\t{rules[name].code}\t{_mark(mended[name], counts[name])} {name}\n"
        for name in ordered
    )


def _mark(mended: int, count: int) -> str:
    if not mended:
        return "[ ]"
    return "[*]" if mended == count else "[-]"
