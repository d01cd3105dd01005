"""Labels: bug reports, performance bugs, and what is left out of a body before it is read."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.months import add_months
from perf_assets.core.labelling.labels import (
    Rules,
    label_issues,
    label_kinds,
    matching_labels,
)
from perf_assets.core.markdown import visible_lines
from perf_assets.core.paper import constants as paper
from perf_assets.schema import schema_of

RULES = Rules(("performance", "module: memory usage"), ("feature", "question"), paper.KEYWORDS)
TEXTS = {"labels": pl.List(pl.String), "body": pl.String, "author": pl.String}
NO_TEMPLATES = pl.DataFrame(
    schema={
        "sha": pl.String,
        "path": pl.String,
        "committed_at": pl.Datetime("us", "UTC"),
        "body": pl.String,
        "month": pl.String,
    }
)


def issue(number: int, body: str | None = None, **columns: object) -> dict[str, object]:
    return {
        "repository": "owner/name",
        "number": number,
        "title": "A title",
        "body": body,
        "author": f"user{number}",
        "labels": [],
        "month": "2020-01",
        **columns,
    }


def labelled(
    issues: list[dict[str, object]], templates: pl.DataFrame = NO_TEMPLATES
) -> dict[int, dict[str, object]]:
    schema = TEXTS
    frame, _ = label_issues(pl.DataFrame(issues, schema_overrides=schema), templates, RULES)
    assert dict(frame.schema) == schema_of("labels.performance_labels")
    return {row["number"]: row for row in frame.iter_rows(named=True)}


def is_performance(body: str, **columns: object) -> bool:
    return bool(labelled([issue(1, body, **columns)])[1]["is_performance"])


def test_there_are_the_29_keywords_of_the_study() -> None:
    assert len(set(paper.KEYWORDS)) == 29


@pytest.mark.parametrize("keyword", paper.KEYWORDS)
def test_every_keyword_marks_a_performance_bug_in_title_and_body(keyword: str) -> None:
    rows = labelled([issue(1, f"It has {keyword.upper()}!"), issue(2, title=f"{keyword} here")])
    assert rows[1]["matched_in"] == ["body"]
    assert rows[2]["matched_in"] == ["title"]
    assert keyword in rows[1]["matched_keywords"]
    assert rows[1]["is_performance"] and rows[2]["is_performance"]


def test_a_performance_label_is_enough_and_is_named() -> None:
    row = labelled([issue(1, labels=["module: Performance", "bug"])])[1]
    assert row["is_performance"] and row["matched_labels"] == ["module: Performance"]


def test_labels_are_compared_without_case_and_space() -> None:
    assert matching_labels(["module:memoryusage", "docs"], RULES.performance_labels) == [
        "module:memoryusage"
    ]


@pytest.mark.parametrize(
    ("label", "is_matched"),
    [
        ("type:bug/performance", False),
        ("Performance / Bug", False),
        ("crash/performance", False),
        ("area/performance", True),
        ("debug/performance", True),
        ("performance/bugfix", True),
        ("bug: performance", True),
    ],
)
def test_a_label_that_may_mean_another_kind_of_bug_matches_no_part_of_it(
    label: str, is_matched: bool
) -> None:
    assert matching_labels([label], ["performance"]) == [label] * is_matched
    assert matching_labels([label], ["performance", label.upper()]) == [label]
    assert labelled([issue(1, labels=[label])])[1]["is_performance"] == is_matched


def test_a_feature_request_is_not_a_bug_report_whatever_it_says() -> None:
    row = labelled([issue(1, "so slow", labels=["type:feature", "performance"])])[1]
    assert not row["is_bug_report"] and not row["is_performance"]
    assert row["non_bug_labels"] == ["type:feature"]
    assert row["matched_keywords"] == ["slow"]


def test_an_issue_locked_as_spam_is_not_a_bug_report_and_says_so() -> None:
    spam = issue(1, "it is slow", lock_reason="spam", issue_type=None, labels=["feature"])
    heated = issue(2, "it is slow", lock_reason="too_heated", issue_type=None)
    rows = labelled([spam, heated])
    assert (rows[1]["is_bug_report"], rows[1]["not_a_bug_by"]) == (False, "spam")
    assert (rows[2]["is_performance"], rows[2]["not_a_bug_by"]) == (True, None)


def test_the_type_of_an_issue_counts_as_a_label_does() -> None:
    rows = labelled(
        [
            issue(1, issue_type="Feature", lock_reason=None),
            issue(2, issue_type="Performance", lock_reason=None),
            issue(3, issue_type="Bug", lock_reason=None),
        ]
    )
    assert (rows[1]["is_bug_report"], rows[1]["not_a_bug_by"]) == (False, "issue_type")
    assert rows[1]["non_bug_labels"] == ["Feature"]
    assert (rows[2]["is_performance"], rows[2]["matched_labels"]) == (True, ["Performance"])
    assert (rows[3]["is_bug_report"], rows[3]["is_performance"]) == (True, False)


@pytest.mark.parametrize(
    "body",
    [
        "```\nslow\n```\ndone",
        "~~~~\nslow\n~~~\nslow\n~~~~",
        "text\n```python\nslow = 1",
        "> ```\n> slow\n> ```",
        "<!-- is it slow? -->",
        "<!-- say\nwhether it is slow\n--> no",
        "<!-- ``` --> fine <!-- slow -->",
    ],
)
def test_code_blocks_and_html_comments_are_not_read(body: str) -> None:
    row = labelled([issue(1, body)])[1]
    assert not row["is_performance"]
    assert row["ignored_keywords"] == ["slow"]


@pytest.mark.parametrize(
    "body",
    [
        "```\ncode\n```\nslow",
        "`slow` inline",
        "```inline``` slow",
        "<!-- a --> slow <!-- b -->",
        "<!-- never closed, slow",
        "```\n<!--\n```\nslow",
        "a\r\n```\r\nx\r\n```\r\nslow\r\n",
    ],
)
def test_what_a_reader_sees_is_read(body: str) -> None:
    assert is_performance(body)


ASKED = "- Is the model slower than expected?"


def test_a_line_of_five_authors_is_boilerplate_from_its_first_month_on() -> None:
    rows = labelled([issue(n, f"{ASKED}\nIt crashes") for n in range(1, 6)])
    assert not any(row["is_performance"] for row in rows.values())
    assert rows[1]["ignored_lines"] == [f"{ASKED} (repeated by 5 authors in 12 months)"]


def test_a_line_of_four_authors_or_of_one_busy_author_is_their_own() -> None:
    assert all(r["is_performance"] for r in labelled([issue(n, ASKED) for n in range(4)]).values())
    busy = [issue(n, ASKED, author="one") for n in range(9)]
    assert all(row["is_performance"] for row in labelled(busy).values())


@pytest.mark.parametrize(("first", "is_their_own"), [("2019-02", False), ("2019-01", True)])
def test_authors_of_twelve_months_make_a_line_boilerplate(first: str, is_their_own: bool) -> None:
    earlier = [issue(n, ASKED, month=first) for n in range(1, 5)]
    rows = labelled([*earlier, issue(5, ASKED, month="2020-01")])
    assert all(rows[n]["is_performance"] for n in range(1, 5))
    assert rows[5]["is_performance"] is is_their_own


def test_short_lines_are_never_boilerplate_by_repetition_alone() -> None:
    rows = labelled([issue(n, "A memory leak.") for n in range(9)])
    assert all(row["is_performance"] for row in rows.values())


def test_a_form_field_is_left_out_but_not_what_was_filled_in() -> None:
    heading = "**What is the memory usage**: "
    bodies = ["2 GB", "little", "3", "4", "5", "a memory leak"]
    rows = labelled([issue(n, heading + text) for n, text in enumerate(bodies, 1)])
    assert [n for n, row in rows.items() if row["is_performance"]] == [6]
    assert rows[6]["matched_keywords"] == ["memory leak"]


def test_what_was_filled_in_reaches_from_the_first_colon_to_the_end() -> None:
    heading = "What is the memory usage"
    rows = labelled(
        [issue(n, f"{heading} : {n} GB") for n in range(1, 6)]
        + [issue(6, f"{heading}: a memory leak: it grows")]
    )
    assert [n for n, row in rows.items() if row["is_performance"]] == [6]


def test_a_ticked_box_is_the_word_of_its_author() -> None:
    rows = labelled(
        [issue(n, "- [ ] It is a performance regression ") for n in range(1, 7)]
        + [issue(n, "- [x] It is a performance regression") for n in range(7, 14)]
    )
    assert [n for n, row in rows.items() if row["is_performance"]] == list(range(7, 14))


def template(month: str, body: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "sha": ["abcdef0123"],
            "path": [".github/ISSUE_TEMPLATE.md"],
            "committed_at": [None],
            "body": [body],
            "month": [month],
        },
        schema=NO_TEMPLATES.schema,
    )


def test_a_line_of_a_committed_template_is_boilerplate_from_then_on() -> None:
    rows = labelled(
        [issue(1, "Is it slow?", month="2019-12"), issue(2, "* is it **slow**?", month="2020-01")],
        template("2020-01", "# Is it slow?\n\nMemory usage: [e.g. 2 GB]\n"),
    )
    assert rows[1]["is_performance"] and not rows[2]["is_performance"]
    assert rows[2]["ignored_lines"] == [
        "* is it **slow**? (template .github/ISSUE_TEMPLATE.md at abcdef0)"
    ]


def test_a_field_of_a_committed_template_is_recognised_when_filled_in() -> None:
    body = "Memory usage: 7 GB"
    assert is_performance(body)
    rows = labelled([issue(1, body)], template("2019-01", "Memory usage: [e.g. 2 GB]"))
    assert not rows[1]["is_performance"]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 20),
            st.sampled_from([ASKED, "It is slow", "Please tell the memory usage here: ok", "fine"]),
            st.sampled_from(["a", "b", "c", "d", "e", "f", None]),
        ),
        max_size=40,
    ),
    st.integers(0, 20),
)
def test_a_later_cohort_never_changes_an_earlier_label(
    rows: list[tuple[int, str, str | None]], cut: int
) -> None:
    issues = [
        issue(number, body, author=author, month=add_months("2019-01", offset))
        for number, (offset, body, author) in enumerate(rows, 1)
    ]
    last = add_months("2019-01", cut)
    before = [entry for entry in issues if str(entry["month"]) <= last]
    if before:
        everything = labelled(issues)
        assert labelled(before) == {
            int(str(e["number"])): everything[int(str(e["number"]))] for e in before
        }


def test_the_rule_version_distinguishes_rule_sets() -> None:
    other = Rules(("performance",), (), ("slow",))
    assert RULES.version != other.version
    assert RULES.version == Rules(*vars_of(RULES)).version


def vars_of(rules: Rules) -> tuple[tuple[str, ...], ...]:
    return rules.performance_labels, rules.non_bug_labels, rules.keywords


@given(st.text(alphabet="ab`~<!->\n \r", max_size=60))
def test_visible_lines_are_made_of_the_text_itself(text: str) -> None:
    assert len("".join(visible_lines(text))) <= len(text)


def test_evidence_names_each_rule_field_and_match() -> None:
    body = "It is slow.\n```\nmemory leak\n```\n"
    issue = {
        "repository": "owner/name",
        "number": 7,
        "title": "Slow and slower",
        "body": body,
        "author": "ann",
        "labels": ["performance", "bug"],
        "month": "2020-01",
    }
    schema = {"labels": pl.List(pl.String)}
    templates = schema_of("raw.issue_templates").to_frame()
    rules = Rules(("performance",), ("feature",), ("slow", "memory leak"))
    labels, evidence = label_issues(
        pl.DataFrame([issue], schema_overrides=schema), templates, rules
    )
    assert evidence.select("rule", "field", "match").rows() == [
        ("performance_label", "labels", "performance"),
        ("keyword", "title", "slow"),
        ("keyword", "body", "slow"),
        ("ignored_keyword", "body", "memory leak"),
    ]
    (row,) = labels.rows(named=True)
    assert (row["matched_labels"], row["matched_keywords"]) == (["performance"], ["slow"])
    assert (row["matched_in"], row["ignored_keywords"]) == (["title", "body"], ["memory leak"])


def test_what_a_label_means_follows_the_rules_of_the_study() -> None:
    rules = Rules(("performance",), ("feature",), ())
    names = ["Perform ance", "Feature!", "x", "bug/performance"]
    labels = pl.DataFrame({"repository": ["o/n"] * 4, "label": names})
    kinds = label_kinds(labels, rules)
    assert kinds.select("is_performance", "is_non_bug").rows() == [
        (True, False),
        (False, True),
        (False, False),
        (False, False),
    ]
    assert kinds["rule_version"].unique().to_list() == [rules.version]


@pytest.mark.parametrize(
    ("columns", "strength"),
    [
        ({"title": "A latency of seconds"}, "strong"),
        ({"body": "A latency of seconds"}, "moderate"),
        ({"title": "It is slow"}, "moderate"),
        ({"body": "It is slow"}, "weak"),
        ({"body": "There is a memory leak"}, "strong"),
        ({"body": "It is slow", "labels": ["module: performance"]}, "strong"),
        ({"title": "It is slow", "body": "The throughput is low"}, "moderate"),
        # A word that has a weak one in it is not that word alone.
        ({"body": "It is slower than before"}, "moderate"),
        ({"body": "Nothing of the kind"}, None),
        ({"title": "Memory leak", "labels": ["feature"]}, None),
    ],
)
def test_a_label_is_as_strong_as_its_strongest_evidence(columns, strength) -> None:
    found = labelled([issue(1, **{"body": None, **columns})])[1]
    assert found["strength"] == strength
    assert found["is_performance"] == (strength is not None)


def test_the_grades_are_those_of_the_study() -> None:
    rules = Rules(("performance",), (), ("slow", "leak"), ("slow",), ("leak",), ())
    issues = pl.DataFrame([issue(1, "slow"), issue(2, "leak")], schema_overrides=TEXTS)
    decided, _ = label_issues(issues, NO_TEMPLATES, rules)
    assert decided["strength"].to_list() == ["strong", "weak"]
    assert rules.version != Rules(("performance",), (), ("slow", "leak")).version


def test_words_of_the_widened_list_are_found_in_titles_and_do_not_count() -> None:
    found = labelled(
        [
            issue(1, "It leaks.", title="Training leaks memory at some SPEED"),
            issue(2, "An overhead of a leak", title="A question"),
        ]
    )
    assert found[1]["widened_keywords"] == ["leak", "speed"]
    assert found[2]["widened_keywords"] == []
    assert not found[1]["is_performance"]


@given(st.lists(st.sampled_from(paper.KEYWORDS), max_size=4), st.booleans())
def test_exactly_performance_bugs_have_a_strength(keywords: list[str], in_title: bool) -> None:
    text = " and ".join(keywords) or "nothing"
    columns = {"title": text} if in_title else {"body": text}
    found = labelled([issue(1, **{"body": None, **columns})])[1]
    assert found["is_performance"] == (found["strength"] is not None) == bool(keywords)
