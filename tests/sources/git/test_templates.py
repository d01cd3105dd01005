"""Issue templates of the history: found as GitHub finds them, read as their issues read."""

import pytest

from perf_assets.sources.git.templates import is_issue_template, read_issue_templates
from tests.git_repositories import (
    FILE,
    Made,
)


def test_every_version_of_a_template_is_read_with_its_commit(cloned):
    path = b".github/ISSUE_TEMPLATE.md"
    clone, shas = cloned(
        Made({path: (FILE, b"one\n"), b"other": (FILE, b"x")}, when="1483228800 +0000"),
        Made({path: (FILE, b"one\n"), b"other": (FILE, b"y")}, [0], when="1485907200 +0000"),
        Made({path: (FILE, "zwö\n".encode("latin-1"))}, [1], when="1485907201 +0000"),
        Made({}, [2], when="1485907202 +0000"),
        Made({path: (FILE, b"one\n")}, [3], when="1488326400 +0000"),
    )
    rows = read_issue_templates(clone).select("sha", "path", "body", "month").rows()
    name = path.decode()
    assert rows == [
        (shas[0], name, "one\n", "2017-01"),
        (shas[2], name, "zw�\n", "2017-02"),
        (shas[4], name, "one\n", "2017-03"),
    ]


def test_templates_are_found_where_github_looks_whatever_their_case():
    found = [
        "ISSUE_TEMPLATE",
        "issue_template.md",
        "docs/ISSUE_TEMPLATE.txt",
        ".github/Issue_Template.md",
        ".github/ISSUE_TEMPLATE/bug.md",
        ".github/ISSUE_TEMPLATE/deep/bug.YAML",
        ".GitHub/issue_template/form.yml",
    ]
    others = [
        ".github/ISSUE_TEMPLATE/config.yml",
        ".github/ISSUE_TEMPLATE/picture.png",
        ".github/PULL_REQUEST_TEMPLATE.md",
        "src/ISSUE_TEMPLATE.md",
        "docs/issues.md",
        ".github",
    ]
    assert [path for path in found + others if is_issue_template(path)] == found


@pytest.mark.parametrize(
    "odd",
    ["!!bool maybe", "!!timestamp soon", '!!int ""', "!!float x", "!!binary é", "!!set 1", "[a"],
)
def test_a_form_that_cannot_be_read_stays_as_it_is_written(cloned, odd):
    form = f"name: Bug\nbody:\n  - attributes: {{label: {odd}}}\n"
    clone, _ = cloned(Made({b".github/ISSUE_TEMPLATE/bug.yml": (FILE, form.encode())}))
    assert read_issue_templates(clone)["body"].to_list() == [form]


def test_an_issue_form_reads_as_its_issues_do_before_its_source(cloned):
    form = b"""name: Bug
body:
  - type: markdown
    attributes: {value: "Thanks for taking\\nthe time"}
  - type: dropdown
    attributes: {label: "Which version?", options: [one, 2, two]}
  - type: checkboxes
    attributes: {label: Terms, options: [{label: I agree}]}
  - just a string
"""
    path = b".github/ISSUE_TEMPLATE/bug.yml"
    clone, shas = cloned(Made({path: (FILE, form)}), Made({path: (FILE, b"a: [b\n")}, [0]))
    bodies = dict(read_issue_templates(clone).select("sha", "body").iter_rows())
    assert bodies[shas[0]].splitlines() == [
        "Thanks for taking",
        "the time",
        "_No response_",
        "### Which version?",
        "- [ ] one",
        "- [ ] two",
        "_No response_",
        "### Terms",
        "- [ ] I agree",
        "_No response_",
        *form.decode().splitlines(),
    ]
    assert bodies[shas[1]] == "a: [b\n"
