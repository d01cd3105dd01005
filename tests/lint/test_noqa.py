"""Which comments silence which findings: as in ruff, where that has the same form."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.findings import Context, Finding, Severity
from perf_assets.lint.fixes import applied
from perf_assets.lint.noqa import comments_added, heard
from perf_assets.lint.rules.unused_noqa import UNUSED_NOQA
from tests.check_rules import OBEDIENT


def finding(line: int) -> Finding:
    return Finding(
        line, 1, line, 7, OBEDIENT.name, Severity.WARNING, Context.LIBRARY, "this is slow"
    )


def is_heard(text: str, line: int = 1) -> bool:
    return heard([finding(line)], text, [OBEDIENT]) != []


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "#  NoQA",
        "# noqa because it is slow anyway",
        "# noqa: PA999",
        "# noqa:PA999",
        "# noqa : PA999",
        "# noqa: pa999",
        "# noqa: E501, PA999",
        "# noqa: E501 PA999",
        "# noqa: E501,PA999,W291",
        "# noqa: PA999 because it is slow anyway",
        "# noqa: PA",
        "# noqa: PA9",
        "# type: ignore # noqa: PA999",
        "# it is known # noqa",
    ],
)
def test_a_comment_silences_the_findings_of_its_line(comment: str) -> None:
    assert not is_heard(f"slow()  {comment}\n")
    assert is_heard(f"slow()\nx = 1  {comment}\n")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: PA103",
        "# noqa: TOR",
        "# noqa: PA9999",
        "# noqa:",
        "# noqa: because",
        "# noqa: E501 PA999x",
        "# noqa: because PA999",
        "# noqa-file",
        "# noqabc",
        "# see noqa: PA999",
        "# sequential-map",
    ],
)
def test_other_comments_silence_nothing(comment: str) -> None:
    assert is_heard(f"slow()  {comment}\n")


def test_a_rule_may_be_named() -> None:
    by_name = replace(OBEDIENT, name="slow-call", code="PA998")
    one = finding(1)._replace(rule="slow-call")
    assert heard([one], "slow()  # noqa: slow-call\n", [by_name]) == []
    assert heard([one], "slow()  # noqa: slow-calls\n", [by_name]) == [one]
    assert heard([one], "slow()  # noqa: slow\n", [by_name]) == [one]


def test_a_comment_within_a_string_is_none() -> None:
    assert is_heard('slow("# noqa")\n')
    assert is_heard('x = """\nslow()  # noqa\n"""; slow()\n', 3)


def test_behind_a_string_of_several_lines_the_comment_counts_for_all_of_them() -> None:
    text = 'slow("""\na\nb""", """c\nd""")  # noqa\nslow()\n'
    assert not is_heard(text, 1) and not is_heard(text, 2) and not is_heard(text, 4)
    assert is_heard(text, 5)


def test_at_the_end_of_joined_lines_the_comment_counts_for_all_of_them() -> None:
    text = "x = 1 + \\\n    slow() + \\\n    2  # noqa\nslow()\n"
    assert not is_heard(text, 1) and not is_heard(text, 2)
    assert is_heard(text, 4)


def test_in_brackets_each_line_has_its_own_comment() -> None:
    text = "x = (ds\n    .map(f)  # noqa\n    .map(g)\n)  # noqa\n"
    assert not is_heard(text, 2) and is_heard(text, 3) and is_heard(text, 1)


def test_a_form_feed_ends_no_line() -> None:
    assert not is_heard("x = 1\n\x0c\nslow()  # noqa\n", 3)
    assert not is_heard("x = '\x1c\u2028'\nslow()  # noqa\n", 2)


ALONE = replace(OBEDIENT, name="other-call", code="PA998")
CHECKED = [OBEDIENT, ALONE, UNUSED_NOQA]


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("slow()  # noqa: PA999", None),
        ("slow()  # noqa", None),
        ("x = 1  # noqa", None),
        ("x = 1  # noqa: E501", None),
        ("x = 1  # noqa: PA999", "PA999"),
        ("x = 1  # noqa: E501, PA999, W291 because", "PA999"),
        ("slow()  # noqa: PA999, PA998", "PA998"),
        ("slow()  # noqa: PA999, PA9", "PA9"),
        ("slow()  # noqa: PA99", None),
        ("x = 1  # noqa: PA99", "PA99"),
        ("x = 1  # noqa: PA", None),  # of rules that were not checked
        ("x = 1  # noqa: PA101", None),
        ("x = 1  # noqa: PA001", None),
        ("x = 1  # noqa: TOR401", None),
        ("x = 1  # noqa: PA999, PA901", None),
        ("x = 1  # noqa: PA999, unused-noqa", None),
        ("'# noqa: PA999'", None),
        ("# perf-assets: noqa: PA999\nslow()", None),
        ("# perf-assets: noqa\nx = 1", None),
        ("# perf-assets: noqa: PA999, PA998\nslow()", "PA998"),
        ("# perf-assets: noqa: PA999\nx = 1", "PA999"),
    ],
)
def test_a_comment_that_silences_nothing_is_reported(text: str, unused: str | None) -> None:
    found = [finding(number) for number, line in enumerate(text.split("\n"), 1) if "slow" in line]
    (*reported,) = heard(found, text, CHECKED, "tests/a.py")
    assert [one.rule for one in reported] == (["unused-noqa"] if unused else [])
    for one in reported:
        assert f"(unused: {unused})" in one.message and one.context is Context.TEST
        assert text[one.column - 1 : one.end_column - 1].startswith("#")
    assert heard(found, text, CHECKED[:2]) == []


def test_a_comment_in_a_line_of_its_own_silences_the_file() -> None:
    for comment in (
        "# perf-assets: noqa",
        "#perf-assets:NOQA: E501, PA999",
        "# x\n  # perf-assets: noqa",
    ):
        assert not is_heard(f"slow()\n{comment}\n")
    for comment in (
        "x = 1  # perf-assets: noqa",
        "# perf-assets: noqa: PA101",
        "# noqa",
        "# ruff: noqa",
    ):
        assert is_heard(f"slow()\n{comment}\n")


LINES = [
    "slow()",
    "slow()  # noqa",
    "slow()  # noqa: PA999",
    "slow()  # noqa: E501",
    "if a: slow()",
]


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=12))
def test_each_line_is_decided_as_if_it_were_alone(lines: list[str]) -> None:
    found = [finding(number) for number in range(1, len(lines) + 1)]
    left = heard(found, "\n".join(lines), [OBEDIENT])
    assert left == [one for one, line in zip(found, lines, strict=True) if is_heard(line)]


@given(st.lists(st.sampled_from([*LINES, "slow()  # why", "slow(  # noqa: ", "slow() + \\", "1)"])))
def test_comments_that_are_added_silence_everything_and_once(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        compile(text, "", "exec")
    except SyntaxError:
        return
    found = heard([finding(number) for number in range(1, len(lines) + 1)], text, [OBEDIENT])
    after = applied(text, comments_added(found, text, [OBEDIENT]))
    assert after.count("\n") == text.count("\n")
    assert heard(found, after, [OBEDIENT]) == []
