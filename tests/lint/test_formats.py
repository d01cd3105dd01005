"""Findings for people and programs: text, JSON, SARIF, annotations of GitHub."""

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft7Validator
from rich.cells import cell_len

from perf_assets.base.paths import checks_dir
from perf_assets.lint.files.results import FileResult, Skip
from perf_assets.lint.findings import Context, Finding, Related, Severity
from perf_assets.lint.formats.as_github import as_github
from perf_assets.lint.formats.as_gitlab import as_gitlab
from perf_assets.lint.formats.as_json import as_json
from perf_assets.lint.formats.as_junit import as_junit
from perf_assets.lint.formats.as_sarif import FINGERPRINT, address, as_sarif
from perf_assets.lint.formats.as_text import as_text
from perf_assets.lint.formats.pages import page_of, source_of
from perf_assets.lint.notebooks import BrokenCell
from perf_assets.lint.rules import REPORTED, RULES
from tests.paths import SHARED

BY_NAME = {rule.name: rule for rule in REPORTED}
BROKEN = BrokenCell(3, "syntax", "line 1: it is odd")
CODE = BY_NAME["sequential-map"].code
OFFICIAL = SHARED / "sarif" / "sarif-schema-2.1.0.json"
SUBSET = Path(__file__).with_name("sarif_subset.json")


def finding(line: int = 3, column: int = 8, **changes: Any) -> Finding:
    found = Finding(
        line,
        column,
        line,
        column + 6,
        "sequential-map",
        Severity.WARNING,
        Context.LIBRARY,
        "this runs on one core",
    )
    return found._replace(**changes)


def result(path: str, *findings: Finding, line: str = "x = ds.map(f)  # more") -> FileResult:
    return FileResult(path, findings, None, (line,) * len(findings))


def skipped(path: str, reason: str = "syntax", message: str = "it is odd") -> FileResult:
    return FileResult(path, (), Skip(path, reason, message))


# ---- text


def test_text_says_where_and_what_and_shows_the_call() -> None:
    note = finding(5, severity=Severity.NOTE, related=(Related(7, "batched here"),))
    output = as_text([result("a.py", finding(), note), result("b.py"), skipped("c.py")], BY_NAME)
    assert output == (
        f"a.py:3:8: {CODE} this runs on one core [sequential-map]\n"
        "    x = ds.map(f)  # more\n"
        "           ^~~~~~\n"
        f"a.py:5:8: {CODE} this runs on one core [sequential-map, note]\n"
        "    x = ds.map(f)  # more\n"
        "           ^~~~~~\n"
        "    line 7: batched here\n"
        "2 findings (1 warning, 1 note) in 1 of 2 files\n"
    )


def test_text_without_findings_says_how_much_was_read() -> None:
    assert as_text([result("a.py")] * 1234, BY_NAME) == "No findings in 1,234 files\n"
    assert as_text([], BY_NAME) == "No findings in 0 files\n"


@pytest.mark.parametrize(
    ("source", "column", "end", "shown", "marks"),
    [
        ("    ds.map(f)", 8, 14, "ds.map(f)", "   ^~~~~~"),
        ("\tds.map(f)", 5, 11, "ds.map(f)", "   ^~~~~~"),
        ("x\t= ds.map(f)", 8, 14, "x = ds.map(f)", "       ^~~~~~"),
        ("é = 日本.map(f)", 8, 14, "é = 日本.map(f)", "         ^~~~~~"),
        ("a\u202e\x1b[31m.map(f)", 8, 14, "a[31m.map(f)", "     ^~~~~~"),
        ("ds.map(f)  ", 4, 99, "ds.map(f)", "   ^~~~~~"),
        ("ds.map(f)", 40, 46, "ds.map(f)", "         ^"),
    ],
)
def test_the_call_is_marked_where_it_is_seen(
    source: str, column: int, end: int, shown: str, marks: str
) -> None:
    one = finding(3, column, end_column=end)
    lines = as_text([result("a.py", one, line=source)], BY_NAME).split("\n")
    assert lines[1:3] == [f"    {shown}", f"    {marks}"]


def test_a_call_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    for end_column in (2, 9):
        one = finding(3, 4, end_line=5, end_column=end_column)
        lines = as_text([result("a.py", one, line="ds.map(f,  # noqa")], BY_NAME).split("\n")
        assert lines[2] == "       ^~~~~~~~~~~~~~"


def test_a_line_that_fits_is_shown_whole() -> None:
    line = f"x = [{'1, ' * 30}ds.map(f)]"
    assert 100 < len(line) < 120
    _, shown, *_ = as_text([result("a.py", finding(3, 99), line=line)], BY_NAME).split("\n")
    assert shown == f"    {line}"


def test_of_a_long_line_the_part_around_the_call_is_shown() -> None:
    line = f"x = [{'1, ' * 3000}ds.map(f){', 2' * 3000}]"
    column = line.index("map") + 1
    one = finding(3, column, end_column=column + 6)
    _, shown, marks, _, _ = as_text([result("a.py", one, line=line)], BY_NAME).split("\n")
    assert len(shown) < 140 and shown.startswith("    …") and shown.endswith("…")
    assert shown[marks.index("^") : marks.index("^") + 6] == "map(f)"


def test_colours_are_there_where_they_are_wanted() -> None:
    results = [result("a.py", finding())]
    coloured = as_text(results, BY_NAME, is_coloured=True)
    assert "\x1b[31m" in coloured and coloured.count("\x1b[") > 5
    assert "\x1b" not in as_text(results, BY_NAME)


ANYTHING = st.text(st.characters(), max_size=30)


@given(path=ANYTHING, line=ANYTHING, message=ANYTHING, column=st.integers(1, 40))
def test_whatever_a_file_holds_the_text_is_visible_lines(
    path: str, line: str, message: str, column: int
) -> None:
    one = finding(3, column, message=message, related=(Related(1, message),))
    output = as_text([result(path, one, line=line.replace("\n", ""))], BY_NAME)
    kinds = {
        unicodedata.category(character) for character in output if character not in "\n\u200c\u200d"
    }
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown = output.split("\n")
    marked = next((text for text in shown if text.strip(" ~") == "^"), None)
    assert marked is None or cell_len(marked) <= max(map(cell_len, shown)) + 1
    assert len(shown) in (4, 6)


# ---- JSON


def test_json_has_findings_and_skips_and_nothing_else() -> None:
    results = [
        result("a.py", finding(context=Context.TEST)),
        skipped("b\x1b.py", "python_2", "old"),
        result("c.ipynb")._replace(broken_cells=(BROKEN,)),
    ]
    output = as_json(results, BY_NAME)
    assert output.isascii() and "\x1b" not in output
    assert json.loads(output) == {
        "findings": [
            {
                "path": "a.py",
                "line": 3,
                "column": 8,
                "code": CODE,
                "rule": "sequential-map",
                "severity": "warning",
                "cause": "API / Inefficient API usage",
                "message": "this runs on one core",
                "fixable": False,
                "context": "test",
            }
        ],
        "skipped": [{"path": "b\x1b.py", "reason": "python_2", "message": "old"}],
        "skipped_cells": [
            {"path": "c.ipynb", "cell": 3, "reason": "syntax", "message": "line 1: it is odd"}
        ],
    }


@given(path=ANYTHING, message=ANYTHING)
def test_json_can_be_read_by_any_parser(path: str, message: str) -> None:
    output = as_json(
        [result(path, finding(message=message)), skipped(path, "read", message)], BY_NAME
    )
    assert output.isascii() and output.count("\x7f") == 0
    read = json.loads(output.encode())
    json.dumps(read, ensure_ascii=False).encode()  # no halves of characters


# ---- GitHub


def test_an_annotation_is_a_command_of_the_runner() -> None:
    several = finding(5, end_line=7, severity=Severity.NOTE)
    notebook = result("b.ipynb", finding(9))
    output = as_github([result("a.py", finding(), several), notebook, skipped("c.py")], BY_NAME)
    assert output.splitlines() == [
        f"::warning file=a.py,line=3,endLine=3,col=8,endColumn=14,title={CODE} sequential-map"
        "::this runs on one core",
        f"::notice file=a.py,line=5,endLine=7,title={CODE} sequential-map::this runs on one core",
        f"::warning file=b.ipynb,line=9,endLine=9,col=8,title={CODE} sequential-map"
        "::this runs on one core",
    ]


def test_no_text_of_a_file_is_a_command_of_the_runner() -> None:
    path = "a,b:c%\r\n::error::x.py"
    output = as_github([result(path, finding(message="100%\n::error::y"))], BY_NAME)
    assert output.count("\n") == 1 and output.startswith(
        "::warning file=a%2Cb%3Ac%25  %3A%3Aerror%3A%3Ax.py,line=3,"
    )
    assert output.endswith("::100%25 ::error::y\n")


# ---- JUnit and GitLab


def test_a_test_case_of_junit_fails_where_the_command_does() -> None:
    note = finding(5, severity=Severity.NOTE)
    results = [result("x/a<&.py", finding(), note), result("b.py"), skipped("c.py")]
    for error_on, failures in ((Severity.WARNING, 1), (Severity.NOTE, 2)):
        suites = ElementTree.fromstring(as_junit(results, BY_NAME, error_on))
        (suite,) = suites
        assert (suites.attrib["tests"], suites.attrib["failures"]) == ("2", str(failures))
        assert suite.attrib["name"] == "x/a<&.py" and suite.attrib["failures"] == str(failures)
        assert [case.attrib["name"] for case in suite] == [f"{CODE} sequential-map"] * 2
        assert [case[0].tag for case in suite][:failures] == ["failure"] * failures
    assert suite[0][0].attrib["message"] == "line 3, column 8: this runs on one core"
    (suite,) = ElementTree.fromstring(as_junit([result("b.py")], BY_NAME, Severity.NOTE))
    assert suite.attrib["failures"] == "0" and len(suite[0]) == 0


@given(path=ANYTHING, message=ANYTHING)
def test_junit_is_xml_whatever_a_file_holds(path: str, message: str) -> None:
    output = as_junit([result(path, finding(message=message))], BY_NAME, Severity.NOTE)
    (suite,) = ElementTree.fromstring(output.encode())
    assert len(suite) == 1 and output.count("\n") == 8


def test_an_entry_of_code_quality_has_what_gitlab_requires() -> None:
    note = finding(5, severity=Severity.NOTE)
    first, second, again = json.loads(
        as_gitlab([result("a.py", finding(), note), result("b.py", finding())], BY_NAME)
    )
    assert first == {
        "description": f"{CODE}: this runs on one core",
        "check_name": "sequential-map",
        "fingerprint": first["fingerprint"],
        "severity": "minor",
        "location": {"path": "a.py", "lines": {"begin": 3}},
    }
    assert second["severity"] == "info"
    assert len({one["fingerprint"] for one in (first, second, again)}) == 3
    (moved,) = json.loads(as_gitlab([result("a.py", finding(30))], BY_NAME))
    assert moved["fingerprint"] == first["fingerprint"]
    assert as_gitlab([skipped("a.py")], BY_NAME) == "[]\n"


# ---- SARIF


def log(*results: FileResult) -> Any:
    return json.loads(as_sarif(results, RULES))


def validators() -> list[Any]:
    found: list[Any] = [Draft7Validator(json.loads(SUBSET.read_text()))]
    if OFFICIAL.exists():
        found.append(Draft4Validator(json.loads(OFFICIAL.read_text())))
    return found


def assert_valid(content: Any) -> None:
    for validator in validators():
        assert [error.message for error in validator.iter_errors(content)] == []


def test_a_log_is_valid_and_complete() -> None:
    note = finding(5, severity=Severity.NOTE, related=(Related(7, "batched here"),))
    content = log(result("x/a b.py", finding(), note), skipped("é.py"), result("c.py"))
    assert_valid(content)
    (run,) = content["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    assert all(rule["help"]["markdown"] and rule["helpUri"] for rule in rules)
    assert run["tool"]["driver"]["informationUri"].startswith("https://")
    for rule in rules:  # GitHub takes 1,024 characters
        full = rule["fullDescription"]["text"]
        assert full != rule["shortDescription"]["text"] and 60 < len(full) <= 1000, full
        assert full.endswith(".") and "`" not in full and "\n" not in full
    first, second = run["results"]
    assert (first["ruleId"], first["level"], second["level"]) == (CODE, "warning", "note")
    assert rules[first["ruleIndex"]]["id"] == CODE
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "x/a%20b.py", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 3, "startColumn": 8, "endLine": 3, "endColumn": 14},
            }
        }
    ]
    (related,) = second["relatedLocations"]
    assert related["message"]["text"] == "batched here"
    assert related["physicalLocation"]["region"] == {"startLine": 7}
    (output,) = run["invocations"][0]["toolExecutionNotifications"]
    assert run["invocations"][0]["executionSuccessful"] is True
    assert (output["descriptor"]["id"], output["level"]) == ("syntax", "warning")
    assert output["message"]["text"].endswith("it is odd")
    location = output["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "%C3%A9.py"


def test_a_log_names_the_cells_of_a_notebook() -> None:
    one = finding(9, related=(Related(7, "the loop", "line 1 of cell 2"),))
    content = log(result("a.ipynb", one)._replace(broken_cells=(BROKEN,)))
    assert_valid(content)
    (run,) = content["runs"]
    (related,) = run["results"][0]["relatedLocations"]
    assert related["message"]["text"] == "the loop (line 1 of cell 2)"
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == "not checked: cell 3, line 1: it is odd"


def test_a_log_without_findings_is_valid() -> None:
    assert_valid(log())


def test_a_finding_in_a_notebook_has_no_columns_in_a_log() -> None:
    content = log(result("a.ipynb", finding(9, end_line=8)))
    assert_valid(content)
    location = content["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["region"] == {"startLine": 9, "endLine": 9}


OTHER = replace(RULES[0], name="another", code="PA998")


def fingerprints(*results: FileResult) -> list[str]:
    content = json.loads(as_sarif(results, (*RULES, OTHER), lambda _: "# A page\n"))
    assert_valid(content)
    found = content["runs"][0]["results"]
    return [one["partialFingerprints"][FINGERPRINT] for one in found]


def test_a_fingerprint_survives_lines_that_move_and_nothing_else() -> None:
    (before,) = fingerprints(result("a.py", finding()))
    assert fingerprints(result("a.py", finding(30, 2))) == [before]
    assert fingerprints(result("a.py", finding(), line="  x =  ds.map(f)  # more")) == [before]
    others = [
        *fingerprints(result("b.py", finding())),
        *fingerprints(result("a.py", finding(rule=OTHER.name))),
        *fingerprints(result("a.py", finding(), line="y = ds.map(f)")),
        *fingerprints(result("a.py", finding(), finding(4)))[1:],
    ]
    assert len({before, *others}) == 5


@given(path=st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=20))
def test_an_address_is_the_path_in_letters_that_every_program_takes(path: str) -> None:
    try:
        raw = path.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return  # no name of a file
    output = address(path)
    assert output.isascii() and " " not in output
    assert unquote_to_bytes(output.removeprefix("file://")) == raw
    assert_valid(log(result(path, finding()), skipped(path)))


# ---- pages


@pytest.mark.parametrize("rule", REPORTED, ids=lambda rule: rule.name)
def test_each_rule_has_a_page_with_bad_good_and_why(rule: Any) -> None:
    page = page_of(rule)
    assert page.startswith(f"# {rule.name} ({rule.code})\n")
    headings = [line for line in page.split("\n") if line.startswith("## ")]
    assert headings == [
        "## Bad",
        "## Good",
        "## Why",
        "## How certain",
        "## What it does not see",
    ]
    assert (source_of(page) or "").startswith("https://")


def test_the_page_of_all_names_each_rule_and_whether_it_is_on() -> None:
    index = (checks_dir() / "index.md").read_text(encoding="utf-8")
    for rule in REPORTED:
        switch = "yes" if rule.on else "no"
        assert f"| {rule.code} | [{rule.name}]({rule.name}.md) | {switch} |" in index
