"""Small files with planted problems and near misses: each has the findings that it says, no others.

A line in which a finding is due ends with `# expect: rule`, or with `# expect: rule note` where it
is a note. A first line `# path: …` says where in its project the file stands.
"""

import re
from pathlib import Path

import pytest

from perf_assets.lint.linter import check
from perf_assets.lint.rules import RULES

CORPUS = Path(__file__).with_name("corpus")
FILES = sorted(CORPUS.rglob("*.py"))
EXPECTED = re.compile(r"# expect: (?P<rule>[a-z-]+)(?P<note> note)?$")
PLACE = re.compile(r"# path: (?P<path>\S+)\n")


def test_the_corpus_is_there() -> None:
    assert len(FILES) >= 150
    planted = {found["rule"] for file in FILES for _, found in expectations(file.read_text())}
    assert planted == {rule.name for rule in RULES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_what_is_planted_is_found_and_nothing_else(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    location = PLACE.match(text)
    found = check(text, location["path"] if location else f"project/{file.name}", RULES)
    assert [(one.line, one.rule, one.severity.value) for one in found] == [
        (line, due["rule"], "note" if due["note"] else "warning")
        for line, due in expectations(text)
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_rule_finds_alone_what_it_finds_among_others(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    together = check(text, "project/module.py", RULES)
    alone = [one for rule in RULES for one in check(text, "project/module.py", [rule])]
    assert sorted(alone) == together
    assert check(text, "project/module.py", RULES[::-1]) == together


def expectations(text: str) -> list[tuple[int, re.Match[str]]]:
    return [
        (number, found)
        for number, line in enumerate(text.split("\n"), 1)
        if (found := EXPECTED.search(line))
    ]
