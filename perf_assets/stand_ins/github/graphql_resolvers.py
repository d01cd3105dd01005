"""Resolvers of the served GraphQL schema, for fields that are not entries of a dict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from graphql import GraphQLError

from perf_assets.base.corpus import Record
from perf_assets.stand_ins.github.graphql_connections import connection, edges, search_connection
from perf_assets.stand_ins.github.graphql_views import (
    View,
    comment_view,
    event_view,
    issue_view,
    label_view,
    pull_view,
    repository_view,
    review_view,
    state_reason,
)
from perf_assets.stand_ins.github.search import LATEST, SearchError, search
from perf_assets.stand_ins.github.tracker import (
    CREATED,
    HAPPENED,
    UPDATED,
    Item,
    Tracker,
    between,
    node_id,
    parse_node_id,
    with_any_label,
)

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Context:
    """What one query may look at: the trackers by lower-case name, and its own rate limit.

    ``former`` has the trackers of repositories that were renamed, by their former names.
    """

    trackers: Mapping[str, Tracker]
    rate_limit: View
    former: Mapping[str, Tracker] = field(default_factory=dict)


def _not_found(message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"type": "NOT_FOUND"})


def _repository(_: View, context: Context, arguments: Arguments) -> View:
    name = f"{arguments['owner']}/{arguments['name']}"
    tracker = context.trackers.get(name.lower())
    if tracker is None and arguments["followRenames"]:
        tracker = context.former.get(name.lower())
    if tracker is None:
        raise _not_found(f"Could not resolve to a Repository with the name '{name}'.")
    return repository_view(tracker.repository, tracker)


def _search(_: View, context: Context, arguments: Arguments) -> View:
    try:
        items = search(context.trackers, arguments["query"])
    except SearchError as error:
        raise GraphQLError(
            f"This server does not know the search term '{error}'.",
            extensions={"type": "UNPROCESSABLE"},
        ) from None
    return search_connection(items, _item_view, arguments.get("first"), arguments.get("after"))


def _item_view(item: Item) -> View:
    return (pull_view if item.is_pull else issue_view)(item.tracker, item.record)


def _node(_: View, context: Context, arguments: Arguments) -> View:
    return _resolve_id(context, arguments["id"])


def _nodes(_: View, context: Context, arguments: Arguments) -> list[View | GraphQLError]:
    found: list[View | GraphQLError] = []
    for text in arguments["ids"]:
        try:
            found.append(_resolve_id(context, text))
        except GraphQLError as error:
            found.append(error)
    return found


def _resolve_id(context: Context, text: str) -> View:
    prefix, repository, key = parse_node_id(text) or ("", "", "")
    tracker = context.trackers.get(repository.lower())
    view = _find(tracker, prefix, key) if tracker is not None else None
    if view is None:
        raise _not_found(f"Could not resolve to a node with the global id of '{text}'")
    return view


def _find(tracker: Tracker, prefix: str, key: str) -> View | None:
    corpus = tracker.corpus
    if prefix == "R":
        return repository_view(tracker.repository, tracker)
    if prefix == "LA":
        return label_view(tracker, key)
    number = int(key) if key.removeprefix("-").isdecimal() else 0
    match prefix:
        case "I" if number in corpus.issues:
            view = issue_view(tracker, corpus.issues[number])
        case "PR" if number in corpus.pulls:
            view = pull_view(tracker, corpus.pulls[number])
        case "IC" if number in tracker.comments_by_id:
            view = _timeline_view(tracker, tracker.comments_by_id[number])
        case "TE" if number in tracker.events_by_id:
            view = _timeline_view(tracker, tracker.events_by_id[number])
        case _:
            return None
    return view


def _timeline_view(tracker: Tracker, record: Record) -> View:
    issue = issue_view(tracker, tracker.corpus.issues[record["issue_number"]])
    return (event_view if "event" in record else comment_view)(tracker, issue, record)


def _rate_limit(_: View, context: Context, __: Arguments) -> View:
    return context.rate_limit


def _issue(repository: View, _: Context, arguments: Arguments) -> View:
    tracker, number = _served(repository), arguments["number"]
    if number not in tracker.corpus.issues:
        raise _not_found(f"Could not resolve to an Issue with the number of {number}.")
    return issue_view(tracker, tracker.corpus.issues[number])


def _pull_request(repository: View, _: Context, arguments: Arguments) -> View:
    tracker, number = _served(repository), arguments["number"]
    if number not in tracker.corpus.pulls:
        raise _not_found(f"Could not resolve to a PullRequest with the number of {number}.")
    return pull_view(tracker, tracker.corpus.pulls[number])


def _issue_or_pull_request(repository: View, context: Context, arguments: Arguments) -> View:
    corpus, number = _served(repository).corpus, arguments["number"]
    address = corpus.departed.get(number)
    if address is not None:
        return _elsewhere(context, address)
    if number not in corpus.issues and number not in corpus.pulls:
        raise _not_found(
            f"Could not resolve to an issue or pull request with the number of {number}."
        )
    return (_issue if number in corpus.issues else _pull_request)(repository, context, arguments)


def _elsewhere(context: Context, address: str) -> View:
    """Return an issue that was transferred; of a repository that is not served only its address."""
    name, _, number = address.partition("#")
    tracker = context.trackers.get(name.lower())
    if tracker is not None and int(number) in tracker.corpus.issues:
        return issue_view(tracker, tracker.corpus.issues[int(number)])
    return {
        "__typename": "Issue",
        "number": int(number),
        "repository": repository_view(name),
    }


def _discussion(repository: View, _: Context, arguments: Arguments) -> View:
    corpus, number = _served(repository).corpus, arguments["number"]
    if corpus.departed.get(number, "") is not None:
        raise _not_found(f"Could not resolve to a Discussion with the number of {number}.")
    return {
        "__typename": "Discussion",
        "id": node_id("D", corpus.repository, number),
        "number": number,
    }


def _issues(repository: View, _: Context, arguments: Arguments) -> View:
    tracker = _served(repository)
    filters = arguments.get("filterBy") or {}
    order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    by_updated = order["field"] == "UPDATED_AT"
    records: Sequence[Record] = (
        tracker.issues_by_updated if by_updated else tracker.issues_by_created
    )
    since = filters.get("since")
    if since and by_updated:
        records = between(tracker.issues_by_updated, UPDATED, since, LATEST)
    elif since:
        records = [record for record in records if record["updated_at"] >= since]
    for states in (arguments.get("states"), filters.get("states")):
        if states:
            records = [record for record in records if record["state"].upper() in states]
    for labels in (arguments.get("labels"), filters.get("labels")):
        if labels:
            records = with_any_label(records, labels)
    return connection(
        records,
        UPDATED if by_updated else CREATED,
        lambda record: issue_view(tracker, record),
        arguments.get("first"),
        arguments.get("after"),
        is_descending=order["direction"] == "DESC",
    )


def _pull_requests(repository: View, _: Context, arguments: Arguments) -> View:
    tracker = _served(repository)
    order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    key = UPDATED if order["field"] == "UPDATED_AT" else CREATED
    states = arguments.get("states")
    views = [pull_view(tracker, record) for record in sorted(tracker.pulls_by_created, key=key)]
    chosen = [view for view in views if not states or view["state"] in states]
    return connection(
        chosen,
        lambda view: key(view["_record"]),
        lambda view: view,
        arguments.get("first"),
        arguments.get("after"),
        is_descending=order["direction"] == "DESC",
    )


def _labels(issue: View, _: Context, arguments: Arguments) -> View:
    names = [label["name"] for label in issue["_record"].get("labels") or ()]
    tracker = issue["_tracker"]
    return connection(
        list(enumerate(names)),
        lambda pair: pair[:1],
        lambda pair: label_view(tracker, pair[1]),
        arguments.get("first"),
        arguments.get("after"),
    )


def _comments(issue: View, _: Context, arguments: Arguments) -> View:
    tracker = issue["_tracker"]
    comments = tracker.corpus.comments.get(issue["number"], ())
    order = arguments.get("orderBy")
    key = itemgetter("updated_at", "id") if order else HAPPENED
    return connection(
        sorted(comments, key=key) if order else comments,
        key,
        lambda comment: comment_view(tracker, issue, comment),
        arguments.get("first"),
        arguments.get("after"),
        is_descending=order is not None and order["direction"] == "DESC",
    )


def _timeline_items(issue: View, _: Context, arguments: Arguments) -> View:
    tracker, after = issue["_tracker"], arguments.get("after")
    items = tracker.timeline(
        issue["number"], arguments.get("itemTypes"), arguments.get("since") or ""
    )
    page = connection(
        items,
        HAPPENED,
        lambda record: (event_view if "event" in record else comment_view)(tracker, issue, record),
        arguments.get("first"),
        after,
    )
    rest = connection(items, HAPPENED, dict, len(items), after) if after else page
    return {
        **page,
        "filteredCount": len(rest["nodes"]) if after else len(items),
        "pageCount": len(page["nodes"]),
        "updatedAt": issue["updatedAt"],
    }


def _closing_pulls(issue: View, _: Context, arguments: Arguments) -> View:
    tracker = issue["_tracker"]
    pulls = tracker.closing_pulls(issue["number"])
    if not arguments["includeClosedPrs"]:
        pulls = [pull for pull in pulls if pull["state"] == "open"]
    return connection(
        pulls,
        itemgetter("created_at", "number"),
        lambda pull: pull_view(tracker, pull),
        arguments.get("first"),
        arguments.get("after"),
    )


def _reviews(pull: View, _: Context, arguments: Arguments) -> View | None:
    tracker, reviews = pull["_tracker"], pull["_record"].get("reviews")
    if reviews is None:  # a corpus may not know them
        return None
    return connection(
        list(enumerate(reviews)),
        lambda pair: pair[:1],
        lambda pair: review_view(tracker, pull, *pair),
        arguments.get("first"),
        arguments.get("after"),
    )


def _state_reason(issue: View, _: Context, arguments: Arguments) -> str | None:
    reason = state_reason(issue["_record"])
    return "NOT_PLANNED" if reason == "DUPLICATE" and not arguments["enableDuplicate"] else reason


def _served(repository: View) -> Tracker:
    tracker: Tracker | None = repository["_tracker"]
    if tracker is None:
        name = repository["nameWithOwner"]
        raise _not_found(f"Could not resolve to a Repository with the name '{name}'.")
    return tracker


def _edges(page: View, _: Context, __: Arguments) -> list[View]:
    return edges(page)


Resolver = Callable[[View, Context, Arguments], Any]

RESOLVERS: Mapping[tuple[str, str], Resolver] = {
    ("Query", "repository"): _repository,
    ("Query", "search"): _search,
    ("Query", "node"): _node,
    ("Query", "nodes"): _nodes,
    ("Query", "rateLimit"): _rate_limit,
    ("Repository", "issue"): _issue,
    ("Repository", "pullRequest"): _pull_request,
    ("Repository", "issueOrPullRequest"): _issue_or_pull_request,
    ("Repository", "discussion"): _discussion,
    ("Repository", "issues"): _issues,
    ("Repository", "pullRequests"): _pull_requests,
    ("Issue", "labels"): _labels,
    ("Issue", "comments"): _comments,
    ("Issue", "timelineItems"): _timeline_items,
    ("Issue", "closedByPullRequestsReferences"): _closing_pulls,
    ("Issue", "stateReason"): _state_reason,
    ("PullRequest", "reviews"): _reviews,
    **{
        (f"{name}Connection", "edges"): _edges
        for name in (
            "Issue",
            "IssueComment",
            "IssueTimelineItems",
            "Label",
            "PullRequest",
            "PullRequestReview",
            "SearchResultItem",
        )
    },
}
