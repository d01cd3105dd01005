"""Forms of reports: which form a report used, and which fields its author filled."""

import time
from datetime import datetime

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.labelling.form_templates import LONGEST_TEMPLATE
from perf_assets.core.labelling.forms import report_forms
from perf_assets.schema import schema_of
from perf_assets.sources.git.templates import UNREADABLE, form_lines
from tests.rows import REPOSITORY, at, sha

JANUARY, FEBRUARY = at(1, month=1), at(5)

FOLDER = ".github/ISSUE_TEMPLATE"
PERFORMANCE = f"{FOLDER}/700-performance.yml"
BUG = f"{FOLDER}/400-bug.yml"

PERFORMANCE_FORM = """
name: 🏎️ Discussion
description: Not what it is about
title: "[Performance]: "
labels: [triage]
body:
- type: markdown
  attributes:
    value: "#### Before you submit, read the manual."
- type: textarea
  attributes:
    label: Proposal to improve performance
- type: textarea
  attributes:
    label: Report of performance regression
    placeholder: It was faster in release 1.0.
- type: dropdown
  attributes:
    label: Backend
    options: [CPU, GPU]
    default: 0
- type: input
  attributes:
    label: GPU models and memory
- type: textarea
  attributes:
    label: Your environment
    value: |
      The output of `collect_env.py`

      ```text
      Your output here
      ```
- type: checkboxes
  attributes:
    label: "Before submitting:"
    options:
    - label: I searched for it.
"""
BUG_FORM = """
name: Bug
title: "[Bug]: "
body:
- {type: textarea, attributes: {label: "🐛 What happened?"}}
- {type: textarea, attributes: {label: Memory usage}}
- {type: textarea, attributes: {label: Logs, render: shell}}
"""
EMPTY = """### Proposal to improve performance

_No response_

### Report of performance regression

_No response_

### Backend

CPU

### GPU models and memory

_No response_

### Your environment

The output of `collect_env.py`

```text
Your output here
```

### Before submitting:

- [ ] I searched for it.
"""
EMPTY_BUG = """### 🐛 What happened?

_No response_

### Memory usage

_No response_

### Logs

```shell
_No response_
```
"""
FIELDS = [
    "Proposal to improve performance",
    "Report of performance regression",
    "Backend",
    "GPU models and memory",
    "Your environment",
    "Before submitting",
]


def stored(path: str, source: str) -> str:
    """Return the body of raw.issue_templates: the source, of a form behind its rendering."""
    if not path.endswith(".yml"):
        return source
    try:
        return "\n".join([*form_lines(yaml.safe_load(source)), source])
    except UNREADABLE:
        return source


def template(
    path: str, source: str, committed: datetime = JANUARY, name: str = ""
) -> dict[str, object]:
    return {
        "repository": REPOSITORY,
        "sha": sha(name or path[-8:]),
        "path": path,
        "committed_at": committed,
        "body": stored(path, source),
        "month": "2020-01",
    }


def forms(
    body: str | None,
    *templates: dict[str, object],
    title: str = "A title",
    created: datetime = FEBRUARY,
) -> list[dict[str, object]]:
    issues = pl.DataFrame(
        [(REPOSITORY, 7, title, body, created, "2020-02")],
        schema=["repository", "number", "title", "body", "created_at", "month"],
        schema_overrides={"body": pl.String},
        orient="row",
    )
    given = pl.DataFrame(
        templates or [template(PERFORMANCE, PERFORMANCE_FORM), template(BUG, BUG_FORM)],
        schema=schema_of("raw.issue_templates"),
    )
    found = report_forms(issues, given)
    assert dict(found.schema) == schema_of("labels.report_forms")
    return found.rows(named=True)


def form_of(body: str, *templates: dict[str, object], **changes: object) -> dict[str, object]:
    (row,) = forms(body, *templates, **changes)  # type: ignore[arg-type]
    return row


def answered(text: str, heading: str, answer: str) -> str:
    """Return the form with an answer in place of what is under a heading."""
    head, _, rest = text.partition(f"### {heading}\n")
    _, sign, rest = rest.partition("\n### ")
    return f"{head}### {heading}\n\n{answer}\n{sign}{rest}"


def filled(body: str, *templates: dict[str, object]) -> object:
    return form_of(body, *templates)["filled_fields"]


def test_returns_form_and_fields_of_report() -> None:
    body = answered(EMPTY, "Report of performance regression", "Half as fast.")
    body = answered(body, "GPU models and memory", "A100, 80 GB")
    assert form_of(body, title="[performance]: slow") == {
        "repository": REPOSITORY,
        "number": 7,
        "form_path": PERFORMANCE,
        "form_name": "🏎️ Discussion",
        "template_sha": sha(PERFORMANCE[-8:]),
        "headings_matched": 6,
        "headings_of_form": 6,
        "title_prefix": "[Performance]: ",
        "filled_fields": [FIELDS[1], FIELDS[3]],
        "empty_fields": [FIELDS[0], FIELDS[2], FIELDS[4], FIELDS[5]],
        "is_performance_form": True,
        "performance_fields": [FIELDS[1]],
        "month": "2020-02",
    }


@pytest.mark.parametrize("body", [None, "", "It is slow.", "### Your environment\n\nLinux"])
def test_report_without_headings_of_a_form_has_no_row(body: str | None) -> None:
    assert forms(body) == []


def test_report_before_the_first_template_has_no_row() -> None:
    assert forms(EMPTY, created=at(31, month=12, year=2019)) == []
    assert len(forms(EMPTY, created=at(1, month=1))) == 1


def test_no_field_of_untouched_form_is_filled() -> None:
    row = form_of(EMPTY)
    assert (row["filled_fields"], row["empty_fields"]) == ([], FIELDS)
    assert (row["title_prefix"], row["performance_fields"]) == (None, [])
    assert form_of(EMPTY_BUG)["filled_fields"] == []


@pytest.mark.parametrize(
    ("heading", "answer", "is_filled"),
    [
        (FIELDS[0], "None", False),
        (FIELDS[0], "*N/A.*", False),
        (FIELDS[0], "<!-- nothing to see -->", False),
        (FIELDS[0], "---\n```\n```", False),
        (FIELDS[0], "```\nfor x in y:\n```", True),
        (FIELDS[0], "```x``` is slow.", True),
        (FIELDS[0], "#### Details\n\nNone", True),
        (FIELDS[1], " It was faster in  release 1.0.", False),
        (FIELDS[1], "It was faster in release 1.0. Now it is not.", True),
        ("Backend", "GPU", True),
        ("Your environment", "```text\nUbuntu 22.04\n```", True),
        ("Before submitting:", "- [X] I searched for it.", True),
    ],
)
def test_field_is_filled_by_text_of_reporter(heading: str, answer: str, is_filled: bool) -> None:
    expected = [heading.rstrip(":")] if is_filled else []
    assert filled(answered(EMPTY, heading, answer)) == expected


def test_reads_chinese_answers_under_english_headings() -> None:
    body = answered(EMPTY, FIELDS[1], "升级之后，训练速度变慢了。")
    assert form_of(body)["performance_fields"] == [FIELDS[1]]


def test_memory_usage_is_a_performance_field_of_a_form_that_is_not_for_performance() -> None:
    row = form_of(answered(EMPTY_BUG, "Memory usage", "It grows."))
    assert (row["is_performance_form"], row["performance_fields"]) == (False, ["Memory usage"])


@pytest.mark.parametrize(
    ("path", "about", "expected"),
    [
        ("bug.yml", "name: Bug\ndescription: performance", False),
        ("bug.yml", "name: A memory-leak", True),
        ("bug.yml", "name: It is slower", True),
        ("bug.yml", "name: Perfect speech", False),
        ("bug.yml", "name: Issue\ntitle: '[Perf] '", True),
        ("bug.yml", "name: Issue\nlabels: bug, type:performance", True),
        ("perf_issue.yml", "name: Issue", True),
        ("issue.yml", "name: Bug/Performance Issue", False),
    ],
)
def test_form_for_performance_says_so_outside_its_fields(
    path: str, about: str, expected: bool
) -> None:
    source = f"{about}\nbody:\n- attributes: {{label: Performance}}\n"
    row = form_of("### Performance\n\nIt is slow.", template(f"{FOLDER}/{path}", source))
    assert row["is_performance_form"] is expected
    assert row["performance_fields"] == ["Performance"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Performance", ["Issue type"]),
        ("Support, Memory usage", ["Issue type"]),
        ("Bug", []),
        ("Bug/Performance", []),
        ("My performance is poor", []),
        ("_No response_", []),
    ],
)
def test_choice_of_performance_in_a_list_is_a_performance_field(
    answer: str, expected: list[str]
) -> None:
    source = """
name: Issue
body:
- type: dropdown
  attributes:
    label: Issue type
    options: [Bug, Performance, Bug/Performance, Support, Memory usage]
- {type: textarea, attributes: {label: Details}}
"""
    body = f"### Issue type\n\n{answer}\n\n### Details\n\nIt differs.\n"
    assert form_of(body, template(BUG, source))["performance_fields"] == expected


def test_form_with_more_headings_wins_of_two_in_one_body() -> None:
    body = EMPTY + "\n" + answered(EMPTY_BUG, "Memory usage", "It grows.")
    row = form_of(body, title="[Bug]: it grows")
    assert (row["form_path"], row["filled_fields"]) == (PERFORMANCE, [])


def test_deeper_heading_of_another_form_belongs_to_the_answer() -> None:
    body = answered(EMPTY, FIELDS[0], "#### Logs\n\nNone")
    assert filled(body) == [FIELDS[0]]


def test_equal_forms_are_decided_by_title_then_share_then_path() -> None:
    def choice(name: str, title: str, *labels: str) -> dict[str, object]:
        fields = "".join(f"- attributes: {{label: {label}}}\n" for label in labels)
        source = f"name: {name}\ntitle: '{title}'\nbody:\n{fields}"
        return template(f"{FOLDER}/{name}.yml", source)

    body = "### Version\n\n1.0\n\n### Steps\n\nRun it."
    long = choice("a", "[A] ", "Version", "Steps", "Logs")
    first, second = choice("b", "[B] ", "Version", "Steps"), choice("c", "", "Version", "Steps")

    def name(*templates: dict[str, object], title: str) -> object:
        return form_of(body, *templates, title=title)["form_name"]

    assert name(long, second, first, title="[A] slow") == "a"
    assert name(long, second, first, title="slow") == "b"
    assert name(long, second, title="[B] slow") == "c"


def test_templates_with_equal_headings_are_told_apart_by_their_other_lines() -> None:
    body = "<!-- {0} template -->\n**Version**\n\n**Steps**\nSend the {0} report.\n"
    both = [
        template(f"{FOLDER}/{name}.md", body.format(name))
        for name in ("build", "bug", "performance")
    ]
    for name in ("build", "bug", "performance"):
        assert form_of(body.format(name), *both)["form_name"] == name
        comment, _, rest = body.format(name).partition("\n")
        assert form_of(rest.replace("Send", "I send"), *both)["form_name"] == "bug"
        answer = f"{comment}\r\n**Version**\n\n1.0\n\n**Steps**\n\nNone"
        assert form_of(answer, *both)["form_name"] == name


def test_version_at_the_time_of_the_report_counts() -> None:
    old = template(BUG, BUG_FORM, at(1, month=1), "old")
    new = template(BUG, BUG_FORM.replace("Logs", "Output"), at(10), "new")
    assert form_of(EMPTY_BUG, new, old, created=at(9))["template_sha"] == sha("old")
    assert form_of(EMPTY_BUG, new, old, created=at(9))["headings_matched"] == 3
    assert form_of(EMPTY_BUG, new, old, created=at(10))["template_sha"] == sha("new")
    assert form_of(EMPTY_BUG, new, old, created=at(10))["headings_matched"] == 2


@pytest.mark.parametrize("path", ["000-bug.yml", "zzz-bug.yml"])
def test_renamed_form_is_in_the_file_committed_last(path: str) -> None:
    renamed = template(f"{FOLDER}/{path}", BUG_FORM + "# edited\n", at(10))
    both = (template(BUG, BUG_FORM), renamed)
    assert form_of(EMPTY_BUG, *both, created=at(9))["form_path"] == BUG
    assert form_of(EMPTY_BUG, *both, created=at(11))["form_path"] == f"{FOLDER}/{path}"


def test_form_that_was_broken_at_the_time_of_the_report_has_no_row() -> None:
    broken = template(BUG, "name: [Bug\nbody:\n" + BUG_FORM, at(2, month=1))
    assert forms(EMPTY_BUG, template(BUG, BUG_FORM), broken) == []


@pytest.mark.parametrize(
    "source",
    [
        "name: [a\n",
        "",
        "- a",
        "body: text",
        "body: [text, 3, {attributes: none}, {attributes: {label: [x]}}]",
        BUG_FORM + "\0",
        BUG_FORM.replace("label: Logs", "label: &logs Logs"),
        BUG_FORM + "deep: " + "[" * 100 + "]" * 100,
        BUG_FORM + "#" * LONGEST_TEMPLATE,
    ],
)
def test_ignores_yaml_that_is_broken_huge_or_has_anchors(source: str) -> None:
    row = {**template(BUG, BUG_FORM), "body": source}
    assert forms(EMPTY_BUG, row) == []


@pytest.mark.parametrize(
    "source",
    [
        "[" * 190_000,
        "{a: " * 47_000,
        "- " * 95_000,
        "a: &a [x, x]\n"
        + "".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [{('*' + chr(97 + n) + ',') * 9}]\n" for n in range(9)
        ),
        "name: " + "a" * 190_000,
        "? a\n" * 47_000,
        '"' * 190_000,
    ],
)
def test_refuses_hostile_yaml_within_a_second(source: str) -> None:
    begun = time.process_time()
    assert forms(EMPTY_BUG, {**template(BUG, BUG_FORM), "body": source}) == []
    assert time.process_time() - begun < 1


MARKDOWN = """---
name: Bug report
title: '[BUG]'
labels: bug
---
<!-- ## Not a heading -->
## Environment ##

- OS: [e.g. Linux]
- Version:

**Describe the bug**
A clear description.

###### Steps
```
# no heading either
```
- [ ] I read the manual
"""
TEMPLATE = template(f"{FOLDER}/bug.md", MARKDOWN)


def test_headings_and_bold_lines_are_the_fields_of_a_markdown_template() -> None:
    body = MARKDOWN.partition("---\n")[2].partition("---\n")[2]
    row = form_of(body, TEMPLATE, title="[Bug] slow")
    assert (row["form_name"], row["title_prefix"]) == ("Bug report", "[BUG]")
    assert row["empty_fields"] == ["Environment", "Describe the bug", "Steps"]
    assert filled(body.replace("[e.g. Linux]", ""), TEMPLATE) == []
    assert filled(body.replace("[e.g. Linux]", "N/A"), TEMPLATE) == []
    assert filled(body.replace("[e.g. Linux]", "Windows"), TEMPLATE) == ["Environment"]
    assert filled(body.replace("[ ]", "[x]"), TEMPLATE) == ["Steps"]
    assert filled(body.replace("A clear", "Another"), TEMPLATE) == ["Describe the bug"]


@pytest.mark.parametrize("front_matter", ["", "---\nname: [x\n---\n", "---\nlabels: bug\n---\n"])
def test_template_without_a_readable_name_is_named_after_its_file(front_matter: str) -> None:
    source = f"{front_matter}## Steps\n\n## Version\n"
    row = form_of("## steps\n## VERSION\n1.0", template("docs/Issue_Template.md", source))
    assert (row["form_name"], row["filled_fields"]) == ("Issue_Template", ["Version"])


def test_single_heading_of_a_form_is_enough() -> None:
    only = template("ISSUE_TEMPLATE.md", "## Steps\n")
    assert form_of("## Steps\n\nRun it.", only)["headings_matched"] == 1
    assert forms("Run it.", template("ISSUE_TEMPLATE.md", "Describe it.\n")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("### ", "# "),
        ("### ", "###### "),
        ("### ", "  ###\t"),
        ("Memory usage", "Memory usage  \t"),
        ("Memory usage", "**MEMORY  usage:** ###"),
        ("🐛", "🐛\ufe0f"),
    ],
)
def test_headings_are_equal_whatever_their_level_case_and_spaces(old: str, new: str) -> None:
    body = answered(EMPTY_BUG, "Memory usage", "It grows.").replace(old, new)
    row = form_of(body)
    assert (row["headings_matched"], row["filled_fields"]) == (3, ["Memory usage"])


@pytest.mark.parametrize("line", ["#Memory usage", "####### Memory usage", "    # Memory usage"])
def test_other_lines_are_not_headings(line: str) -> None:
    body = EMPTY_BUG.replace("### Memory usage", line)
    assert form_of(body)["headings_matched"] == 2


def test_code_has_no_headings_unless_the_reporter_did_not_close_it() -> None:
    code = answered(EMPTY_BUG, "🐛 What happened?", "```\n# Memory usage\n### Logs\nx\n```")
    assert filled(code) == ["🐛 What happened?"]
    unclosed = answered(EMPTY_BUG, "🐛 What happened?", "```python\nx = 1\n")
    assert form_of(unclosed)["headings_matched"] == 3
    assert filled(unclosed) == ["🐛 What happened?"]


def test_forms_of_other_repositories_do_not_count() -> None:
    assert forms(EMPTY, {**template(PERFORMANCE, PERFORMANCE_FORM), "repository": "a/b"}) == []


@pytest.mark.parametrize(
    "unit",
    [
        "### Memory usage\n",
        "### Memory usage\n#### Logs\n",
        "#\n",
        "**",
        "** **\n",
        "<!--",
        "```\n",
        "~~~ `\n",
        "### Logs\n\n```\n\n",
        "- [ ] x\n",
        "> > ```\n",
        "# a #",
        "word ",
        "字",
    ],
)
def test_reads_body_of_1_mb_within_a_second(unit: str) -> None:
    body = EMPTY_BUG + unit * (1_000_000 // len(unit)) + EMPTY_BUG
    begun = time.process_time()
    row = form_of(body)
    assert time.process_time() - begun < 1
    assert row["form_path"] == BUG


@given(
    st.text(),
    st.text(" \n:#*-_<!>()`~[]xabLogsMemory usage&\r"),
    st.sampled_from(["a.yml", "a.md"]),
    st.booleans(),
)
def test_any_text_is_read_and_fields_are_filled_or_empty(
    title: str, text: str, name: str, is_template: bool
) -> None:
    body = text if is_template else f"{EMPTY_BUG}{text}"
    source = text if is_template else BUG_FORM
    for row in forms(body, template(f"{FOLDER}/{name}", source), title=title):
        fields = [*row["filled_fields"], *row["empty_fields"]]  # type: ignore[misc]
        assert len(fields) == row["headings_of_form"] == len(set(fields))
        assert 1 <= row["headings_matched"] <= row["headings_of_form"]  # type: ignore[operator]
