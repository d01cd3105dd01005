"""Events that GitLab tells as texts alone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.repository_names import is_hosted_name
from perf_assets.sources.gitlab.system_notes import TITLE, Place, event_of, moved_to, titles_of
from perf_assets.stand_ins.gitlab.project import _marked

OURS = Place("gitlab.com/group/sub/ours")
SHA = "0123456789" * 4
CLOSED = {"event": "closed"}


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("closed", CLOSED),
        ("Closed", CLOSED),
        (
            f"closed via commit {SHA}",
            {**CLOSED, "commit_sha": SHA, "closer_repository": OURS.repository},
        ),
        ("closed via commit 01234567", CLOSED),
        (
            "closed via merge request !12",
            {**CLOSED, "pull_request": 12, "closer_repository": OURS.repository},
        ),
        (
            "closed via merge request other/place!12",
            {**CLOSED, "pull_request": 12, "closer_repository": "gitlab.com/other/place"},
        ),
        ("reopened", {"event": "reopened"}),
        ("changed title from **{-a-}** to **{+b+}**", {"event": "renamed"}),
        (
            "marked this issue as a duplicate of #7",
            {
                "event": "marked_as_duplicate",
                "canonical_number": 7,
                "canonical_repository": OURS.repository,
            },
        ),
        (
            "marked this issue as a duplicate of near#7",
            {
                "event": "marked_as_duplicate",
                "canonical_number": 7,
                "canonical_repository": "gitlab.com/group/sub/near",
            },
        ),
        (
            "moved from far/away#7",
            {"event": "transferred", "from_repository": "gitlab.com/far/away"},
        ),
        ("moved to far/away#7", None),
        ("marked #7 as a duplicate of this issue", None),
        ("mentioned in merge request !5", None),
        ("added ~12 label", None),
        ("closed the door", None),
        ("", None),
    ],
)
def test_a_text_is_the_event_that_it_tells(text, event) -> None:
    assert event_of(text, OURS) == event


def test_where_an_issue_was_moved_is_read_with_its_host() -> None:
    assert moved_to("moved to far/away#7", OURS) == "gitlab.com/far/away#7"
    assert moved_to("Moved to near#7", OURS) == "gitlab.com/group/sub/near#7"
    for text in ("moved to #0", "moved to far/away", "moved to a b#1", "moved from a/b#1", ""):
        assert moved_to(text, OURS) is None


PIECES = [
    *(
        "changed title from **",
        "** to **",
        "**",
        " to ",
        "closed via ",
        "merge request ",
        "commit ",
    ),
    *("marked this issue as a duplicate of ", "moved from ", "moved to ", "a/b", "#1", "!1", "/"),
    *("{-", "-}", "\x00", "\n", "..", SHA, "#999999999"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_every_text_is_an_event_or_none(text: str) -> None:
    event = event_of(text, OURS) or {}
    for name in ("closer_repository", "from_repository", "canonical_repository"):
        assert event.get(name) is None or is_hosted_name(event[name])
    if event.get("event") == "renamed":
        assert len(titles_of([text], "title")) == 1
    assert is_hosted_name((moved_to(text, OURS) or "a.b/c").partition("#")[0])


titles = st.text(st.characters(codec="utf-8", exclude_characters="{}*"), min_size=1, max_size=30)


@given(st.lists(titles, min_size=2, max_size=6))
def test_titles_are_found_again_without_their_marks(known: list[str]) -> None:
    pairs = list(pairwise(known))
    texts = []
    for before, after in pairs:
        old, new = _marked(before, after)
        texts.append(f"{TITLE}{old}** to **{new}**")
    assert titles_of(texts, known[-1]) == pairs


def test_a_title_may_have_the_words_between_two_titles_itself() -> None:
    odd = "from **a** to **b"
    texts = [f"{TITLE}x** to **{odd}**", f"{TITLE}{odd}** to **y** to **z**"]
    assert titles_of(texts, "y** to **z") == [("x", odd), (odd, "y** to **z")]
