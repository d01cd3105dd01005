"""How texts name the issues of projects that are not on GitHub."""

import pytest

from perf_assets.core.linking.mentions import mentions, named_pull_requests
from perf_assets.core.linking.pull_requests import landed_numbers

PROJECT = "gitlab.com/group/sub/project"
COMPONENT = "bugzilla.mozilla.org/Core/Layout"
PAGE = f"https://{PROJECT}/-/issues/8"


def named(message: str, name: str, source: str) -> list[tuple[int, str]]:
    return [(one.number, one.approach) for one in mentions(message, name, source=source)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Closes group/sub/project#1", [(1, "id")]),
        ("Fix the slow path, implements #12", [(12, "id")]),
        (f"Fixes {PAGE}", [(8, "url")]),
        ("Closes https://gitlab.com/group/sub/project/issues/9", [(9, "url")]),
        ("Merge branch 'x'\n\nCloses #5\n\nSee merge request group/sub/project!12", [(5, "id")]),
        ("Closes other/project#3", []),
        ("Closes sub/project#3", []),
        ("See https://gitlab.com/other/project/-/issues/8, which is #8", []),
        ("See https://github.com/group/sub/issues/4, which is #4", []),
        # A project of this name on another host is another one.
        ("Fixes https://gitlab.gnome.org/group/sub/project/-/issues/7", []),
        ("Speed up !12", []),
    ],
)
def test_a_message_names_issues_of_a_project_on_gitlab(
    message: str, expected: list[tuple[int, str]]
) -> None:
    assert named(message, PROJECT, "gitlab") == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # Subjects of mozilla-central, and of GCC.
        ("Bug 1234567 - Make layout faster. r=someone", [(1234567, "id")]),
        ("bug 1234567, part 2: avoid bug 1111111 again", [(1234567, "id")]),
        ("Bug 12, bug 34 - Do both", [(12, "id"), (34, "id")]),
        ("tree-optimization: cheaper walk\n\nPR tree-optimization/98765", [(98765, "id")]),
        ("Walk less\n\nhttps://bugzilla.mozilla.org/show_bug.cgi?id=99", [(99, "url")]),
        ("Walk less\n\nhttps://bugzil.la/98", [(98, "url")]),
        ("Walk less\n\nhttps://bugzilla.kernel.org/show_bug.cgi?id=97", []),
        ("No bug - Tidy up", []),
        ("Backed out changeset abcdef012345 (bug 1234567) for failures", []),
        ('Revert "Bug 1234567 - Make layout faster" for bustage', []),
        ("Raise the limit to 12345 (#12)", []),
    ],
)
def test_a_message_names_bugs_of_bugzilla(message: str, expected: list[tuple[int, str]]) -> None:
    assert named(message, COMPONENT, "bugzilla") == expected


def test_a_merge_of_gitlab_lands_the_merge_request_that_it_names() -> None:
    def landed(message: str) -> set[int]:
        return landed_numbers(message, PROJECT, source="gitlab")

    assert landed("Merge branch 'x'\n\nSee merge request group/sub/project!12") == {12}
    assert landed("Merge branch 'x'\n\nSee merge request other/project!12") == set()
    assert landed("Walk less (!13)") == {13}
    assert landed("Walk less (#13)") == set()


def test_comments_name_merge_requests_by_their_sign_or_address() -> None:
    comment = f"Fixed by !12 and https://{PROJECT}/-/merge_requests/13. Caused by !9. #14 is alike."
    assert set(named_pull_requests(comment, PROJECT, source="gitlab")) == {12, 13}
