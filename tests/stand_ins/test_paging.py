"""Listing and searching at the loopback GitHub: every item once, whatever the pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.stand_ins.github.server import CorpusServer
from tests.effort import examples
from tests.stand_ins.tracker import (
    PULL,
    SEARCH,
    ask,
    comment,
    corpus_of,
    error_of,
    event,
    issue,
    moment,
    page_of,
    search_numbers,
    walk,
)

# --- paging ---

sizes = st.integers(1, 7)


@settings(max_examples=examples(15))
@given(
    times=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12),
    size=sizes,
    field=st.sampled_from(["CREATED_AT", "UPDATED_AT"]),
    is_descending=st.booleans(),
)
def test_any_page_size_and_order_yields_every_issue_once(blank, times, size, field, is_descending):
    issues = [issue(n, a, a + b) for n, (a, b) in enumerate(times, start=1)]
    blank.replace([corpus_of(issues)])
    query = f"""query($first: Int!, $after: String, $order: IssueOrder) {{
        repository(owner: "O", name: "N") {{
        issues(first: $first, after: $after, orderBy: $order) {{ {page_of("number")} }} }} }}"""
    order = {"field": field, "direction": "DESC" if is_descending else "ASC"}
    found = walk(blank, query, ["repository", "issues"], size, order=order)
    key = "created_at" if field == "CREATED_AT" else "updated_at"
    expected = sorted(issues, key=lambda record: (record[key], record["number"]))
    numbers = [record["number"] for record in expected]
    assert [node["number"] for node in found] == (numbers[::-1] if is_descending else numbers)


NESTED = {
    "labels": ("name", ""),
    "comments": ("fullDatabaseId", ""),
    "timelineItems": ("... on ReopenedEvent { id } ... on LabeledEvent { id }", ""),
    "closedByPullRequestsReferences": ("number", ", includeClosedPrs: true"),
}


@settings(max_examples=examples(15))
@given(
    times=st.lists(st.integers(0, 4), max_size=12),
    size=sizes,
    connection=st.sampled_from(sorted(NESTED)),
)
def test_any_page_size_yields_every_nested_node_once(blank, times, size, connection):
    keyed = list(enumerate(times, start=1))
    closers = [
        event(100 + n, 1, "closed", t, closer={"type": "pull_request", "number": 100 + n})
        for n, t in keyed
    ]
    corpus = corpus_of(
        [issue(1, labels=[{"name": f"l{n}"} for n, _ in keyed])],
        [comment(n, 1, t) for n, t in keyed],
        [event(n, 1, "reopened", t) for n, t in keyed]
        if connection != "closedByPullRequestsReferences"
        else closers,
        [PULL | {"number": 100 + n} for n, _ in keyed],
    )
    blank.replace([corpus])
    fields, argument = NESTED[connection]
    types = ", itemTypes: [REOPENED_EVENT]" if connection == "timelineItems" else argument
    query = f"""query($first: Int!, $after: String) {{ repository(owner: "o", name: "n") {{
        issue(number: 1) {{ {connection}(first: $first, after: $after{types}) {{
        {page_of(fields)} }} }} }} }}"""
    found = walk(blank, query, ["repository", "issue", connection], size)
    at_once = walk(blank, query, ["repository", "issue", connection], 100)
    assert len({str(node) for node in found}) == len(times)
    assert found == at_once
    if connection == "comments":
        ordered = sorted(keyed, key=lambda pair: (pair[1], pair[0]))
        assert [node["fullDatabaseId"] for node in found] == [str(n) for n, _ in ordered]


def test_a_listing_goes_on_after_its_last_issue_when_another_has_changed():
    issues = [issue(n, n) for n in range(1, 6)]
    query = """query($after: String) { repository(owner: "o", name: "n") { issues(first: 2,
        after: $after, orderBy: {field: UPDATED_AT, direction: ASC}) {
        nodes { number } pageInfo { endCursor } } } }"""
    with CorpusServer([corpus_of(issues)]) as server:
        page = ask(server, query)["repository"]["issues"]
        assert [node["number"] for node in page["nodes"]] == [1, 2]
        issues[0] = issue(1, 1, updated=100)
        server.replace([corpus_of(issues)])
        rest = ask(server, query, after=page["pageInfo"]["endCursor"])["repository"]["issues"]
        assert [node["number"] for node in rest["nodes"]] == [3, 4]


@pytest.mark.parametrize("field", ["CREATED_AT", "UPDATED_AT"])
def test_since_is_inclusive_and_states_and_labels_filter(server, field):
    query = """query($filter: IssueFilters, $field: IssueOrderField!) {
        repository(owner: "o", name: "n") { issues(first: 9, filterBy: $filter,
        orderBy: {field: $field, direction: ASC}) { totalCount nodes { number } } } }"""

    def numbers(**filters):
        issues = ask(server, query, filter=filters, field=field)["repository"]["issues"]
        assert issues["totalCount"] == len(issues["nodes"])
        return sorted(node["number"] for node in issues["nodes"])

    assert numbers(since=moment(30)) == [1, 4, 5]
    assert numbers(since=moment(31)) == [1, 5]
    assert numbers(since=moment(30).replace("Z", "+00:00")) == [1, 4, 5]
    assert numbers(states=["CLOSED"]) == [2]
    assert numbers(labels=["slow"]) == [1]
    assert error_of(server, query, filter={"since": "soon"}, field=field)


# --- search ---


def test_a_search_hands_out_a_thousand_results_and_shows_the_true_count(server):
    query = "repo:o/many is:issue sort:created-asc"
    assert search_numbers(server, query) == list(range(1, 1001))
    count = '{ search(type: ISSUE, query: "repo:o/many is:issue") { issueCount } }'
    assert ask(server, count)["search"]["issueCount"] == 1205


@pytest.mark.parametrize(
    ("terms", "numbers"),
    [
        ("is:issue", [5, 4, 3, 2, 1]),
        ("type:issue sort:created-asc", [1, 2, 3, 4, 5]),
        ("is:issue sort:updated-desc", [1, 5, 4, 3, 2]),
        ("is:issue sort:comments", [1, 2, 5, 4, 3]),
        ("is:pr", [90]),
        ("", [90, 5, 4, 3, 2, 1]),
        ("is:issue is:closed", [2]),
        ("is:issue state:open label:bug", [1]),
        (f"created:{moment(10)}..{moment(30)}", [4, 3, 2]),
        (f"created:>={moment(30)} is:issue", [5, 4]),
        (f"created:>{moment(30)} is:issue", [5]),
        (f"created:<={moment(10)}", [2, 1]),
        (f"created:<{moment(10)}", [1]),
        (f"created:*..{moment(0)}", [1]),
        (f"created:{moment(40)}..* is:issue", [5]),
        (f"created:{moment(10)}", [2]),
        ("created:2021-01-01T01:00:20+01:00", [3]),
        ("created:2021-01-01 is:closed is:issue", [2]),
        ("created:2020-12-31", []),
        ("created:<2021-01-01", []),
        ("created:>2021-01-01", []),
        ("created:<=2021-01-01 is:pr", [90]),
        (f"updated:>={moment(500)}", [1]),
        (f"closed:<{moment(99)}", [2]),
    ],
)
def test_search_qualifiers_select_and_sort_as_documented(server, terms, numbers):
    assert search_numbers(server, f"repo:o/n {terms}") == numbers


@pytest.mark.parametrize(
    "terms", ["slow", "milestone:x", "created:soon", "created:2021-01 created:2021-02", "is:merged"]
)
def test_a_search_that_would_be_answered_otherwise_by_github_is_refused(server, terms):
    error = error_of(server, SEARCH, query=f"repo:o/n {terms}", first=1)
    assert "does not know the search term" in error["message"]


def test_a_search_of_an_unknown_repository_finds_nothing(server):
    assert search_numbers(server, "repo:no/where is:issue") == []


@settings(max_examples=examples(15))
@given(
    times=st.lists(st.integers(0, 40), max_size=25),
    window=st.tuples(st.integers(-3, 43), st.integers(-3, 43)).map(sorted),
    largest=st.integers(1, 4),
)
def test_bisecting_a_window_down_to_the_second_partitions_its_issues(blank, times, window, largest):
    blank.replace([corpus_of([issue(n, t) for n, t in enumerate(times, start=1)])])

    def collect(first: int, last: int) -> list[int]:
        query = f"repo:o/n is:issue created:{moment(first)}..{moment(last)}"
        count = ask(blank, SEARCH, query=query, first=1)["search"]["issueCount"]
        if count <= largest or first == last:
            found = search_numbers(blank, query)
            assert len(found) == count
            return found
        middle = (first + last) // 2
        return collect(first, middle) + collect(middle + 1, last)

    expected = [n for n, t in enumerate(times, start=1) if window[0] <= t <= window[1]]
    assert sorted(collect(*window)) == expected
