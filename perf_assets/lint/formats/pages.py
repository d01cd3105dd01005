"""The pages of the rules: docs/checks, which are installed with the package."""

from __future__ import annotations

import re

from perf_assets.base.paths import checks_dir
from perf_assets.lint.rules import REPORTED
from perf_assets.lint.rules.rule import Rule

MOST_CHARACTERS = 1_000
_DESCRIPTION = re.compile(
    r"\A# [^\n]*\n(?P<what>[^#]*)\n## .*?^## Why\n(?P<why>[^#]*)", re.DOTALL | re.MULTILINE
)
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


def description_of(page: str) -> str:
    """Return what a page says of its rule and why, as plain text of at most 1,000 characters.

    GitHub takes 1,024 of them.
    """
    found = _DESCRIPTION.search(page)
    if found is None:
        return ""
    text = " ".join(f"{found['what']} {found['why']}".replace("`", "").split())
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def rules_table() -> str:
    """Return a line for each rule: code, name, whether it is on, severity, summary."""
    width = max(len(rule.name) for rule in REPORTED)
    return "".join(
        f"{rule.code:<6}  {rule.name:<{width}}  {'on ' if rule.on else 'off'}  "
        f"{rule.severity:<7}  {rule.summary}\n"
        for rule in REPORTED
    )
