"""The pages of the rules: docs/checks, which are installed with the package."""

import re

from perf_assets.base.paths import checks_dir
from perf_assets.lint.rules import RULES
from perf_assets.lint.rules.rule import Rule

_SOURCE = re.compile(r"^Source: <(?P<address>[^>\s]+)>$", re.MULTILINE)


def page_of(rule: Rule) -> str:
    """Return the page of a rule, in Markdown."""
    return (checks_dir() / f"{rule.name}.md").read_text(encoding="utf-8")


def source_of(page: str) -> str | None:
    """Return the address that a page names as its source: what the framework itself says of the
    matter.
    """
    found = _SOURCE.search(page)
    return None if found is None else found["address"]


def rules_table() -> str:
    """Return a line for each rule: code, name, whether it is on, severity, summary."""
    width = max(len(rule.name) for rule in RULES)
    return "".join(
        f"{rule.code:<6}  {rule.name:<{width}}  {'on ' if rule.on else 'off'}  "
        f"{rule.severity:<7}  {rule.summary}\n"
        for rule in RULES
    )
