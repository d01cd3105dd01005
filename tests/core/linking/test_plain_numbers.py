"""Issues that messages name without a number sign, and the many numbers that name none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.mentions import mentions

OWN = "owner/name"


def plain(message: str) -> dict[int, str]:
    found = mentions(message, OWN)
    return {one.number: one.evidence for one in found if one.approach == "plain_id"}


@pytest.mark.parametrize(
    ("message", "number", "words"),
    [
        ("add infer_type, fix issues#9847 (#9848)", 9847, "issues#9847"),
        ("[fix issue#9976] The assignment", 9976, "issue#9976"),
        ("Hotfix#189 (#201)", 189, "Hotfix#189"),
        ("fix bug in prelu , issue 12061 (#12660)", 12061, "issue 12061"),
        ("Issue 1133 - Fixes flaky tests", 1133, "Issue 1133"),
        ("Pr/email escape (issue 4970) (#4979)", 4970, "issue 4970"),
        ("Tidy\n\n* Patch for issue 1815, which will stop early", 1815, "issue 1815"),
        ("Tidy\n\n* issue 18242\n\n* add test", 18242, "issue 18242"),
        ("Fix issue_703: backward compatibility", 703, "issue_703"),
        ("Fixes issue 42.", 42, "issue 42"),
        ("fix 2333 (#2360)", 2333, "fix 2333"),
        ("fixes 3549", 3549, "fixes 3549"),
        ("[FIX 1087] configurable size (#1110)", 1087, "FIX 1087"),
        ("Fix 5007 by adding the version", 5007, "Fix 5007"),
        ("Bugfix/2956 tpu backend (#2959)", 2956, "Bugfix/2956"),
        ("[Metrics] Fix/4237 auc unstable", 4237, "Fix/4237"),
        ("Merge pull request #8359 from ann/fix-8327\n\nFix the fallback", 8327, "fix-8327"),
        ("Merge pull request #1645 from ann/bugfix/1637_slurm-fix", 1637, "bugfix/1637"),
        ("Merge pull request #4771 from ann/fix-#3766-average", 3766, "fix-#3766"),
        ("Merge pull request #448 from lab/GH-407-cuda", 407, "GH-407"),
        ("Merge branch 'issue-530'", 530, "issue-530"),
        ("Merge branch 'fix-530' into develop", 530, "fix-530"),
    ],
)
def test_a_plain_number_is_reported_with_the_words_that_give_it(
    message: str, number: int, words: str
) -> None:
    assert plain(message) == {number: words}


@pytest.mark.parametrize(
    "message",
    [
        "fix 2 bugs",
        "fix 200 typos",
        "fix 404 error",
        "Fix 404",
        "resolve 429",
        "fixes 3.5",
        "fix 3.5.1",
        "closes 1,000 files",
        "fix 100% of it",
        "fix 10-20 of them",
        "fix 2019-05-01",
        "fix 128x128 tiles",
        "fix 16bit",
        "Fix 12",
        "prefix 2333",
        "issue 1",
        "issue 1: the loader",
        "issue 2.3 of the guide",
        "numpy issue 12061",
        "work around the upstream issue 1234",
        "Cypress test for issue 1425.",
        "Add tests for issues 1882, 1886.",
        "PR 1234",
        "pull request 1234",
        "Bump to version 1234",
        "tissue#1234 a/issue#12",
        "see docker.github.io/issues/8886",
        "Quote\n\n    fix 2333\n\n```\nfix issue 2333\n```\n`fix 2333`",
        "Tidy\n\nBugfix/2956 is a branch",
        "Merge branch 'main' into fix-2276",
        "Merge branch 'fix-2276' of https://github.com/owner/name into fix-2276",
        "Merge remote-tracking branch 'origin/main' into fix_8259",
        "Merge pull request #30 from ann/release-1234",
        "Merge pull request #30 from ann/fix-1.10.2",
        "Merge pull request #30 from ann/fix-12",
        "Merge pull request #30 from ann/prefix-1234",
        "CVE-2019-12345 fix",
        "https://bugs.python.org/issue 1234",
        "Follow https://github.com/other/repo/issues/2333: fix 2333",
    ],
)
def test_other_numbers_name_no_issue(message: str) -> None:
    assert plain(message) == {}


def test_what_is_named_with_a_mark_is_not_reported_again_as_a_plain_number() -> None:
    found = mentions("fix 2333\n\nSee #2333 and issue 2334", OWN)
    assert [(one.number, one.approach) for one in found] == [(2333, "id"), (2334, "plain_id")]


NUMBERS = st.integers(1, 10**7)
WORDS = st.text("bcdfghjklmnpqrstvwxyz", min_size=4, max_size=8)


@given(NUMBERS, WORDS, st.sampled_from(["fix", "Fixes", "fixed", "close", "resolves"]))
def test_a_number_that_counts_something_names_nothing(number: int, noun: str, verb: str) -> None:
    assert plain(f"{verb} {number} {noun}") == {}
    assert plain(f"Work\n\n{verb} {number} {noun}s, {noun}") == {}


@given(NUMBERS, WORDS)
def test_the_issue_of_a_named_project_is_not_ours(number: int, project: str) -> None:
    assert plain(f"Work around {project} issue {number}") == {}
    assert plain(f"{project} {number}") == {}


@given(NUMBERS, st.sampled_from([".{}", ",{}", "-{}", "/{}"]), st.integers(0, 999))
def test_a_part_of_a_longer_number_is_not_a_number(number: int, joint: str, rest: int) -> None:
    assert plain(f"fix {number}{joint.format(rest)}") == {}
    assert plain(f"fix issue {number}{joint.format(rest)}") == {}


@given(st.text(max_size=200))
def test_the_message_has_every_detail_given(message: str) -> None:
    for number, words in plain(message).items():
        assert words in message
        assert str(number) in "".join(str(int(c)) if c.isdecimal() else c for c in words)


@given(st.integers(600, 10**7))
def test_a_clause_of_verb_and_number_names_an_issue_whatever_the_number(number: int) -> None:
    assert plain(f"Fixes {number}.") == {number: f"Fixes {number}"}
    assert plain(f"Merge pull request #1 from ann/fix-{number}") == {number: f"fix-{number}"}
