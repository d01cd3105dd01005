"""Why an archive and what is computed of it today differ: what changed since it was made."""

import re
from collections.abc import Iterator, Mapping

from perf_assets import __version__
from perf_assets.archive.findings import Check
from perf_assets.archive.software import rule_versions
from perf_assets.base.paths import changelog
from perf_assets.schema.models.dependencies import made_from

DECIDES: Mapping[str, tuple[str, ...]] = {
    "areas": ("labels.area_evidence", "links.fix_areas"),
    "classifier": ("labels.performance_probabilities",),
    "commits": ("raw.commits",),
    "environments": ("labels.environments",),
    "fix analysis": ("details.commit_metrics", "details.introducing_commits"),
    "issue fields": ("raw.issues", "raw.issue_comments"),
    "keyword stems": ("labels.keyword_stems", "labels.performance_questions"),
    "labels": ("labels.performance_labels", "labels.label_evidence", "labels.label_kinds"),
    "links": ("links.fix_links", "links.commit_relations"),
    "languages": ("details.commit_metrics",),
}
"""The tables that each rule decides; what is made of them follows."""

_ROW = re.compile(r"\| (?P<rule>[a-z ]+) \| (?P<version>\d+) \| (?P<change>.+) \|")


def rule_changes() -> dict[tuple[str, int], str]:
    """What each version of each rule changed, as the changelog has it."""
    text = changelog().read_text(encoding="utf-8")
    rows = (_ROW.fullmatch(line) for line in text.splitlines())
    return {(row["rule"], int(row["version"])): row["change"] for row in rows if row is not None}


def changed_rules(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The rules whose versions differ, but for the code as a whole."""
    return [name for name in DECIDES if before.get(name) != now.get(name)]


def tables_of_rule(rule: str) -> set[str]:
    """The tables that follow from a rule."""
    found = set(DECIDES[rule])
    while more := {table for table, inputs in made_from().items() if found & set(inputs)} - found:
        found |= more
    return found


def explanations(check: Check) -> Iterator[str]:
    """What changed since the archive of ``check`` was made, and which of its tables follow it."""
    before, now = check.manifest.rules, rule_versions()
    made_by = check.manifest.perf_assets
    explained = set[str]()
    for rule in changed_rules(before, now):
        yield f"{rule}: version {before.get(rule, 'none')} then, {now[rule]} now"
        yield from (f"    {line}" for line in _between(rule, before.get(rule), now[rule]))
        if tables := sorted(tables_of_rule(rule) & set(check.tables)):
            yield f"    may explain {', '.join(tables)}"
            explained |= set(tables)
    left = [table for table in check.tables if table not in explained]
    if before.get("code") == now["code"]:
        if left:
            yield (
                f"Code and libraries are those that made it: {', '.join(left)} cannot differ for "
                "that reason, so that what is in the archive was changed after it was computed."
            )
        return
    yield f"The code or a library is another: perf-assets {made_by} then, {__version__} now"
    if left:
        yield f"    may explain {', '.join(left)}"


def _between(rule: str, before: str | None, now: str) -> Iterator[str]:
    first = int(before) if before is not None and before.isdigit() else 0
    for (name, version), change in sorted(rule_changes().items()):
        if name == rule and first < version <= int(now):
            yield f"{version}: {change}"
