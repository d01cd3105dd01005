"""Corpus records as GitHub's GraphQL objects: plain dicts, made when a query meets them."""

from typing import Any

from perf_assets.base.corpus import Record
from perf_assets.base.repository_names import repository_of_commit
from perf_assets.stand_ins.github.tracker import TIMELINE_TYPES, Tracker, node_id

View = dict[str, Any]
SITE = "https://github.com"
BOT_SUFFIX = "[bot]"
REACTIONS = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
"""Keys of the kinds of reactions in REST, by their names in GraphQL."""
PLAIN_TYPES = {"ReactionGroup", "ReactorConnection"}
"""Types of views that hold their fields and nothing else: all of them, requested, are the view."""
ACTOR_PREFIXES = {"User": "U", "Bot": "BOT", "Organization": "O", "Mannequin": "M"}


def repository_view(name: str, tracker: Tracker | None = None) -> View:
    """Return a repository; one that is not served has its name only."""
    return {
        "__typename": "Repository",
        "_tracker": tracker,
        "id": node_id("R", name),
        "name": name.partition("/")[2],
        "nameWithOwner": name,
        "archivedAt": None if tracker is None else tracker.corpus.archived_at,
        "url": f"{SITE}/{name}",
    }


def actor_view(user: Record | None) -> View | None:
    """Return an account; null for a deleted one.

    GraphQL gives a bot's login without the suffix, which REST writes to bots' alone: by it a bot is
    recognised where a corpus lacks the types of its users.
    """
    if user is None or user.get("login") in (None, "ghost"):
        return None
    type_of_user = "Bot" if user["login"].endswith(BOT_SUFFIX) else user.get("type")
    kind = type_of_user if type_of_user in ACTOR_PREFIXES else "User"
    login = user["login"].removesuffix(BOT_SUFFIX)
    return {
        "__typename": kind,
        "id": node_id(ACTOR_PREFIXES[kind], login),
        "login": login,
        "url": f"{SITE}/apps/{login}" if kind == "Bot" else f"{SITE}/{login}",
    }


def issue_view(tracker: Tracker, issue: Record) -> View:
    """Return an issue."""
    return {
        "__typename": "Issue",
        **_thread(tracker, issue, "I", "issues"),
        "state": issue["state"].upper(),
        "authorAssociation": issue.get("author_association"),
        "activeLockReason": _enum_value(issue.get("active_lock_reason")),
        "issueType": _issue_type(issue.get("type")),
        "milestone": issue.get("milestone"),
        "reactionGroups": reaction_groups(issue),
    }


def _issue_type(value: object) -> View | None:
    """Return the type of an issue; some sources write its name alone."""
    name = value.get("name") if isinstance(value, dict) else value
    return {"name": name} if isinstance(name, str) else None


def _enum_value(text: str | None) -> str | None:
    """Return a word of REST, ``too heated`` for one, as GraphQL spells it."""
    return text.upper().replace(" ", "_").replace("-", "_") if text else None


def reaction_groups(record: Record) -> list[View] | None:
    """Return the number of reactions to an issue or a comment, by kind; null if unknown."""
    counts = record.get("reactions")
    if counts is None:
        return None
    return [
        {"content": content, "reactors": {"totalCount": counts.get(key, 0)}}
        for content, key in REACTIONS.items()
    ]


def pull_view(tracker: Tracker, pull: Record) -> View:
    """Return a pull request; its merge commit is null until it is merged, unlike in REST."""
    merged = pull["merged_at"] is not None
    sha = pull.get("merge_commit_sha") if merged else None
    return {
        "__typename": "PullRequest",
        **_thread(tracker, pull, "PR", "pull"),
        "state": "MERGED" if merged else pull["state"].upper(),
        "merged": merged,
        "mergedAt": pull["merged_at"],
        "mergeCommit": commit_view(tracker.repository, sha, pull.get("merge_commit_author"))
        if sha
        else None,
        "commits": {"totalCount": pull.get("commits") or 0},
        "additions": pull.get("additions"),
        "deletions": pull.get("deletions"),
        "changedFiles": pull.get("changed_files"),
    }


def review_view(tracker: Tracker, pull: View, place: int, review: Record) -> View:
    """Return a review of a pull request; ``place`` is its place among these."""
    return {
        "__typename": "PullRequestReview",
        "id": node_id("PRR", tracker.repository, f"{pull['number']}.{place}"),
        "author": actor_view(review.get("user")),
        "submittedAt": review.get("submitted_at"),
        "state": review["state"],
    }


def _thread(tracker: Tracker, record: Record, prefix: str, path: str) -> View:
    """Return the fields that issues and pull requests share."""
    number = record["number"]
    return {
        "_tracker": tracker,
        "_record": record,
        "id": node_id(prefix, tracker.repository, number),
        "number": number,
        "title": record["title"],
        "body": record.get("body") or "",
        "author": actor_view(record.get("user")),
        "closed": record["state"] == "closed",
        "createdAt": record["created_at"],
        "updatedAt": record["updated_at"],
        "closedAt": record["closed_at"],
        "url": record.get("html_url") or f"{SITE}/{tracker.repository}/{path}/{number}",
        "repository": repository_view(tracker.repository, tracker),
    }


def comment_view(tracker: Tracker, issue: View, comment: Record) -> View:
    """Return a comment on an issue."""
    key = comment["id"]
    return {
        "__typename": "IssueComment",
        "id": node_id("IC", tracker.repository, key),
        "fullDatabaseId": str(key),
        "author": actor_view(comment.get("user")),
        "authorAssociation": comment.get("author_association"),
        "reactionGroups": reaction_groups(comment),
        "body": comment.get("body") or "",
        "createdAt": comment["created_at"],
        "updatedAt": comment["updated_at"],
        "url": f"{issue['url']}#issuecomment-{key}",
        "issue": issue,
        "repository": issue["repository"],
    }


def label_view(tracker: Tracker, name: str) -> View:
    """Return a label of a repository."""
    return {
        "__typename": "Label",
        "id": node_id("LA", tracker.repository, name),
        "name": name,
        "repository": repository_view(tracker.repository, tracker),
        "url": f"{SITE}/{tracker.repository}/labels/{name}",
    }


def commit_view(repository: str, oid: str, login: str | None = None) -> View:
    """Return a commit; ``login`` is the account that GitHub takes its author for."""
    return {
        "__typename": "Commit",
        "id": node_id("C", repository, oid),
        "oid": oid,
        "author": {"user": None if login is None else actor_view({"login": login})},
        "repository": repository_view(repository),
        "url": f"{SITE}/{repository}/commit/{oid}",
    }


def event_view(tracker: Tracker, issue: View, event: Record) -> View:
    """Return a timeline event of an issue."""
    view: View = {
        "__typename": TIMELINE_TYPES[event["event"]][0],
        "id": node_id("TE", tracker.repository, event["id"]),
        "actor": actor_view(event.get("actor")),
        "createdAt": event["created_at"],
    }
    match event["event"]:
        case "closed":
            view |= {"closer": _closer(tracker, event), "stateReason": state_reason(event)}
        case "reopened":
            view |= {"stateReason": "REOPENED"}
        case "labeled" | "unlabeled":
            view |= {"label": label_view(tracker, event["label"]["name"])}
        case "renamed":
            rename = event["rename"]
            view |= {"previousTitle": rename["from"], "currentTitle": rename["to"]}
        case "transferred":
            name = event.get("from_repository")
            view |= {"fromRepository": repository_view(name) if name else None, "issue": issue}
        case "marked_as_duplicate" | "unmarked_as_duplicate":
            view |= {"canonical": _canonical(tracker, event.get("canonical"))}
    return view


def _canonical(tracker: Tracker, canonical: Record | None) -> View | None:
    """Return the report that is repeated; null where it is gone, which REST does not tell."""
    if canonical is None:
        return None
    repository, number = canonical.get("repository") or tracker.repository, canonical["number"]
    if repository == tracker.repository and number in tracker.corpus.pulls:
        return pull_view(tracker, tracker.corpus.pulls[number])
    if repository == tracker.repository and number not in tracker.corpus.issues:
        return None
    return {
        "__typename": "Issue",
        "number": number,
        "repository": repository_view(repository),
    }


def state_reason(record: Record) -> str | None:
    """Return the reason for an issue's state, as GraphQL spells it."""
    return _enum_value(record.get("state_reason"))


def _closer(tracker: Tracker, event: Record) -> View | None:
    # REST writes the repository of the commit in its address only; it may be another one.
    linked = repository_of_commit(event.get("commit_url")) or tracker.repository
    if linked.casefold() == tracker.repository.casefold():
        linked = tracker.repository
    closer = event.get("closer")
    if closer is None:
        oid = event.get("commit_id")
        return commit_view(linked, oid) if oid else None
    is_commit = closer["type"] == "commit"
    repository = closer.get("repository") or (linked if is_commit else tracker.repository)
    if is_commit:
        return commit_view(repository, closer["oid"], closer.get("commit_author"))
    if closer["type"] == "project":
        return {"__typename": "ProjectV2", "id": node_id("PVT", repository, event["id"])}
    number = closer["number"]
    if repository == tracker.repository and number in tracker.corpus.pulls:
        return pull_view(tracker, tracker.corpus.pulls[number])
    sha = closer.get("merge_commit_sha")
    # A corpus knows no more of a pull request outside its pulls than the event shows.
    return {
        "__typename": "PullRequest",
        "id": node_id("PR", repository, number),
        "number": number,
        "merged": sha is not None,
        "mergeCommit": commit_view(repository, sha, closer.get("commit_author")) if sha else None,
        "repository": repository_view(repository),
        "url": f"{SITE}/{repository}/pull/{number}",
    }
