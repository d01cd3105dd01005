"""Every wording that names an issue, and every trap: colours, stack frames, other projects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.mentions import CLOSING, mentions
from tests.link_traps import DOUBTED, OWN, UNREAD, WRONG, Planted, planted

MISTAKES = {*DOUBTED, *WRONG, *(message for message, *_ in UNREAD)}


@pytest.mark.parametrize("case", planted(), ids=lambda case: f"{case.kind}: {case.message[:60]}")
def test_names_the_issues_that_the_commit_fixes_and_no_others(case: Planted) -> None:
    found = {mention.number for mention in mentions(case.message, OWN)}
    is_right = {number for number in found if number < 1_000_000} == case.fixed
    assert is_right == (case.message not in MISTAKES)


@pytest.mark.parametrize(("messages", "closes"), [(DOUBTED, False), (WRONG, True)])
def test_a_mere_mention_can_be_distinguished_from_words_that_close(
    messages: list[str], *, closes: bool
) -> None:
    for message in messages:
        (mention,) = mentions(message, OWN)
        assert (CLOSING.match(mention.evidence) is not None) == closes


def test_in_the_history_of_another_project_only_names_and_addresses_count() -> None:
    message = "Fix #12, owner/name#13\n\nhttps://github.com/owner/name/issues/14, fix issue 150"
    found = mentions(message, OWN, has_own_numbers=False)
    assert [(one.number, one.approach) for one in found] == [(13, "id"), (14, "url")]


@given(st.integers(1, 10**7), st.sampled_from(["fixes #{}", "Closes: #{}", "resolve #{}", "(#{})"]))
def test_a_verb_that_closes_or_brackets_make_any_number_an_issue(number: int, form: str) -> None:
    message = f"Make the blue border #c0ffee\n\n{form.format(number)}"
    assert [mention.number for mention in mentions(message, OWN)] == [number]


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_a_number_with_leading_zeros_is_not_an_issue(number: int, zeros: int) -> None:
    digits = "0" * zeros + str(number)
    message = f"Fixes #{digits}, GH-{digits}, issue {digits}, fix {digits}"
    assert mentions(message, OWN) == []
