"""The pages of the rules: docs/checks, which are installed with the package."""

import re

from perf_assets.base.paths import checks_dir
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
