"""Linking: which commits fixed which issues, with the approach and the evidence of each link."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal, get_args

import polars as pl

from perf_assets.core.linking.host_words import GITHUB
from perf_assets.core.linking.mentions import Mention, mentions, named_pull_requests
from perf_assets.core.linking.pull_requests import History, Landing, PullRequest, own_names
from perf_assets.schema import schema_of

Approach = Literal[
    "url",
    "id",
    "plain_id",
    "closed_by_commit",
    "closed_by_pull_request",
    "pull_request",
    "named_by_pull_request",
    "named_in_comment",
]
APPROACHES: tuple[Approach, ...] = get_args(Approach)
"""All ways to link a commit to an issue, as they are named in ``links.fix_links``."""
TELLING = (
    r"#\d|(?i:gh-\d|/issues/\d"
    r"|(?:issues?|bug|gh|fix(?:e[sd])?|close[sd]?|resolve[sd]?):?[ _/-]?#?\d)"
)
"""What a message has that names an issue: most have none of it, and need no parsing."""


def link_fixes(
    commits: pl.DataFrame,
    issues: pl.DataFrame,
    closed_events: pl.DataFrame,
    pull_requests: pl.DataFrame,
    count_approaches: Collection[str],
    *,
    comments: pl.DataFrame | None = None,
    aliases: Collection[str] = (),
    history: History | None = None,
) -> pl.DataFrame:
    """Link the commits of one repository to the issues they fixed.

    A commit is only linked to an issue that had been opened when it was committed. Links of other
    branches than the default one never count. Of a merged pull request both the merge and the
    commits it brought are linked. As the sizes of a fix's commits are summed, the merge is marked
    as repeated where those commits count, for it shows their lines again, and so is a merge among
    them, which shows the work of others. Where none of them counts the merge stands for all.

    Parameters
    ----------
    commits : columns repository, sha, parents, message, committed_at, month, branch (NULL on the
        default branch, else the branch that has the commit).
    issues : columns number, created_at. Any number that is not here (a pull request, an unknown
        number) is not an issue.
    closed_events : columns number, event_id, commit_sha, pull_request, closer_repository,
        created_at: the events that closed an issue.
    pull_requests : columns number, pull_request_repository, pull_request, relation, is_merged,
        merge_commit_sha, commits: the pull requests that GitHub relates to an issue.
    count_approaches : the approaches whose links make a fix; the paper's rule is ``url`` and
        ``id`` (section III).
    comments : columns number, comment_id, body: the comments on the issues; None where nothing is
        to be taken from there.
    aliases : the names that the repository had before.
    history : the same commits as :class:`History` reads them, where that was done already; it
        knows what kind of host the issues are on.

    Returns
    -------
    One row per issue, commit and approach, columns as ``links.fix_links``; ``month`` is that
    of the commit.
    """
    links = _Links(commits, issues, count_approaches)
    names = (*commits["repository"].unique().to_list(), *aliases)
    history = history or History(commits, issues["number"].to_list(), aliases)
    source = history.source
    telling = TELLING if source == GITHUB else r"\d"
    naming: dict[str, list[Mention]] = {}
    for commit in commits.filter(pl.col("message").str.contains(telling)).iter_rows(named=True):
        is_ours = commit["sha"] not in history.graph.unrelated
        found = mentions(commit["message"], *names, has_own_numbers=is_ours, source=source)
        for mention in found:
            links.add(commit["sha"], mention)
        naming[commit["sha"]] = found
    closing = _own(closed_events, "closer_repository", names).sort("created_at", "event_id")
    for event in closing.iter_rows(named=True):
        links.add(event["commit_sha"], _closer(event, source))
    related = _own(pull_requests, "pull_request_repository", names)
    pulls = _link_pull_requests(links, related, history)
    _link_titles(links, naming, history)
    if comments is not None:
        _link_comments(links, comments, pulls, history, names)
    return links.frame()


class _Links:
    """The links found so far, each issue, commit and approach once."""

    def __init__(
        self, commits: pl.DataFrame, issues: pl.DataFrame, count_approaches: Collection[str]
    ) -> None:
        self._count = count_approaches
        self._opened: Mapping[int, datetime] = dict(
            issues.select("number", "created_at").iter_rows()
        )
        columns = ("repository", "committed_at", "branch", "month")
        self._commits = {sha: rest for sha, *rest in commits.select("sha", *columns).iter_rows()}
        self._found: dict[tuple[int, str, str], Mention] = {}
        self._repeated: set[tuple[int, str]] = set()

    def add(self, sha: str | None, mention: Mention) -> bool:
        """Note a link where commit and issue are there, in this order; whether it can count."""
        if sha is None or sha not in self._commits or mention.number not in self._opened:
            return False
        _, committed_at, branch, _ = self._commits[sha]
        if self._opened[mention.number] > committed_at:
            return False
        self._found.setdefault((mention.number, sha, mention.approach), mention)
        return branch is None and mention.approach in self._count

    def has(self, number: int, sha: str, approach: str) -> bool:
        """Return whether the link is there."""
        return (number, sha, approach) in self._found

    def repeat(self, number: int, sha: str) -> None:
        """Mark a merge: what it shows of the fix of an issue counts by other commits."""
        self._repeated.add((number, sha))

    def frame(self) -> pl.DataFrame:
        rows = []
        for (number, sha, approach), mention in self._found.items():
            repository, _, branch, month = self._commits[sha]
            counted = approach in self._count and branch is None
            repeated = (number, sha) in self._repeated
            key = (repository, number, sha, approach)
            rows.append(
                (*key, mention.evidence, mention.pull_request, branch, counted, repeated, month)
            )
        frame = pl.DataFrame(rows, schema=schema_of("links.fix_links"), orient="row")
        return frame.sort("number", "sha", "approach")


def _link_pull_requests(
    links: _Links, related: pl.DataFrame, history: History
) -> dict[int, PullRequest]:
    """Link the commits by which the pull requests of an issue landed; returns these by number."""
    landed: dict[PullRequest, list[Landing]] = {}
    by_pull = related.sort("number", "pull_request", "relation").group_by(
        "number", "pull_request", maintain_order=True
    )
    for (number, _), rows in by_pull:
        row = rows.row(-1, named=True)  # of linked, where it is: that says how many commits
        pull = PullRequest(
            row["pull_request"], row["is_merged"], row["merge_commit_sha"], row["commits"]
        )
        if pull not in landed:
            landed[pull] = history.landings(pull)
        told = "on GitHub" if history.source == GITHUB else "by the tracker"
        words = f"{_called(pull.number, history.source)} ({', '.join(rows['relation'])} {told})"
        for landing in landed[pull]:
            mention = Mention(int(str(number)), "pull_request", words, pull.number)
            _link_landing(links, mention, landing, history)
    return {pull.number: pull for pull in landed}


def _link_titles(links: _Links, naming: Mapping[str, Sequence[Mention]], history: History) -> None:
    """Link the commits that a merge brought to the issues that its message names."""
    for sha, found in naming.items():
        merged = history.merged_by(sha) if found else None
        if merged is None:
            continue
        pull, landing = merged
        first = {mention.number: mention.evidence for mention in reversed(found)}
        for number, evidence in first.items():
            words = f"{_called(pull, history.source)} (named {evidence!r} by its merge)"
            mention = Mention(number, "named_by_pull_request", words, pull)
            _link_landing(links, mention, landing, history, with_merge=False)


def _link_comments(
    links: _Links,
    comments: pl.DataFrame,
    pulls: Mapping[int, PullRequest],
    history: History,
    names: Collection[str],
) -> None:
    """Link the commits of the pull requests that comments of an issue name.

    On GitHub one with a lower number was there before the issue: it is what broke, if anything.
    """
    landed: dict[int, list[Landing]] = {}
    seen: set[tuple[int, int]] = set()
    for number, body in comments.sort("comment_id").select("number", "body").iter_rows():
        for named, words in named_pull_requests(body or "", *names, source=history.source).items():
            is_older = history.source == GITHUB and named <= number
            if is_older or (number, named) in seen:
                continue
            seen.add((number, named))
            if named not in landed:
                pull = pulls.get(named, PullRequest(named, is_merged=False))
                landed[named] = history.landings(pull)
            for landing in landed[named]:
                evidence = f"{_called(named, history.source)} ({words} in a comment)"
                mention = Mention(number, "named_in_comment", evidence, named)
                _link_landing(links, mention, landing, history)


def _link_landing(
    links: _Links, mention: Mention, landing: Landing, history: History, *, with_merge: bool = True
) -> None:
    """Link the commits of a landing as ``mention`` says, and the merge that brought them."""
    text = f"{mention.evidence}, {landing.words}"
    merges = [sha for sha in landing.own if history.graph.is_merge(sha)]
    do_commits_count = False
    for sha in landing.own:
        evidence = f"{text}, which brought this commit" if landing.is_merge else text
        can_count = links.add(sha, replace(mention, evidence=evidence))
        do_commits_count |= can_count and sha not in merges
    if landing.is_merge:
        if with_merge and not links.has(mention.number, landing.sha, "closed_by_pull_request"):
            links.add(landing.sha, replace(mention, evidence=f"{text}, this commit"))
        if do_commits_count:
            for sha in [landing.sha, *merges]:
                links.repeat(mention.number, sha)


def _own(rows: pl.DataFrame, column: str, names: Collection[str]) -> pl.DataFrame:
    """Return the rows of the repository itself, whose name in ``column`` may be spelt freely."""
    return rows.filter(pl.col(column).str.to_lowercase().is_in(sorted(own_names(names))))


def _called(pull: int, source: str) -> str:
    """Return a pull request as its host writes it."""
    return f"pull request #{pull}" if source == GITHUB else f"merge request !{pull}"


def _closer(event: Mapping[str, object], source: str) -> Mention:
    number = int(str(event["number"]))
    if event["pull_request"] is None:
        return Mention(number, "closed_by_commit", f"closed by commit {event['commit_sha']}")
    pull = int(str(event["pull_request"]))
    evidence = f"closed by {_called(pull, source)}"
    return Mention(number, "closed_by_pull_request", evidence, pull)
