"""The questions of the cookbook: their groups, and a search in words of the question."""

import pytest

from perf_assets.schema.models.cookbook import (
    GROUPS,
    by_group,
    cookbook,
    parse_query_file,
    search,
)

SQL = """-- Question: which fixes took longest?
-- How to read: the slowest first.
-- Group: fixes
-- Words: duration

select 1
"""


def found(text: str) -> set[str]:
    return {query.name for query in search(cookbook().values(), text)}


def test_heading_of_a_file_gives_group_and_words() -> None:
    query = parse_query_file("slowest", SQL)
    assert (query.group, query.words) == ("fixes", "duration")
    assert (query.question, query.reading) == ("Which fixes took longest?", "The slowest first.")


def test_query_of_a_user_needs_no_heading() -> None:
    query = parse_query_file("own", "select 1")
    assert (query.question, query.group, query.words) == ("", "", "")


def test_cookbook_is_in_the_order_of_its_groups() -> None:
    groups = by_group(cookbook().values())
    assert tuple(groups) == GROUPS
    for queries in groups.values():
        names = [query.name for query in queries]
        assert names == sorted(names)
    assert [query.name for queries in groups.values() for query in queries] == [*cookbook()]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("regression", "fixes_that_brought_bugs"),
        ("Version", "environments_of_bugs"),
        ("GPU", "environments_of_bugs"),
        ("gpus versions", "environments_of_bugs"),
        ("stale", "open_performance_bugs"),
        ("member", "answers_by_association"),
        ("slow fix", "slowest_fixes"),
        ("data quality", "failed_audits"),
        ("side by side", "two_repositories_side_by_side"),
        ("release", "bugs_by_version_and_milestone"),
        ("duplicate", "why_bugs_were_closed"),
        ("stale", "why_bugs_were_closed"),
        ("assigned", "members_on_open_bugs"),
        ("regressions", "performance_regressions"),
    ],
)
def test_search_finds_synonyms_groups_and_names(text: str, name: str) -> None:
    assert name in found(text)


def test_search_needs_every_word_and_finds_all_for_none() -> None:
    assert found("slow zebra") == set()
    assert found("slow fix") < found("slow")
    assert found(" ") == set(cookbook())
