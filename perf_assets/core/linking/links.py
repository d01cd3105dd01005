"""Linking: which commits fixed which issues, with the approach and the evidence of each link."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from perf_assets.core.linking.pull_requests import History, Landing, PullRequest, foreign_numbers
from perf_assets.core.markdown import visible_lines
from perf_assets.tables import schema_of

APPROACHES = ("url", "id", "closed_by_commit", "closed_by_pull_request", "pull_request")


ISSUE_URL = re.compile(
    r"https?://(?:www\.)?github\.com/(?P<repository>[\w.-]+/[\w.-]+)/issues/(?P<number>\d+)\b",
    re.IGNORECASE,
)
ANY_URL = re.compile(r"\b\w+://[^\s<>\"]+")
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
VERB = r"(?:(?:fix|clos|resolv)(?:e[sd]?|es|ed|ing)?:?\s+(?:issue\s+)?)?"
# "Merge pull request #12" names no issue, even where another repository's history was merged in
# and the number happens to be one of ours.
PULL_REQUEST = re.compile(
    r"\b(?:pull[ -]requests?|PRs?):?\s+#\d+(?:(?:,| and)\s+#\d+)*", re.IGNORECASE
)
NAMED_ISSUE = re.compile(
    VERB + r"(?:(?P<repository>(?<![\w./-])[\w-]+/[\w.-]+)|(?<![\w&#/.-]))#(?P<number>\d+)(?![\w])"
    r"|" + VERB + r"(?<![\w/-])GH-(?P<gh>\d+)(?![\w])",
    re.IGNORECASE,
)
ITEM = re.compile(r"^ {0,3}(?:[-*+]\s+|\d+[.)]\s+)?#(?P<number>\d+)(?P<rest>.*)$")
INDENTED = re.compile(r"^(?: {4}|\t)")


@dataclass(frozen=True)
class Mention:
    """An issue linked to a commit: its number, the approach, and the words or event that link it.

    ``pull_request`` is the number of the pull request that stands between the two, if one does.
    """

    number: int
    approach: str
    evidence: str
    pull_request: int | None = None


def mentions(message: str, repository: str) -> list[Mention]:
    """The issues of ``repository`` that a commit message names, one per number and approach.

    ``url`` is a link to the issue; ``id`` its number written ``#12``, ``GH-12`` or
    ``owner/name#12``, with or without a verb. Left out are fenced, inline and indented code,
    links and numbers of other repositories, numbers that the message gives to another repository by
    address, numbers called a pull request, and numbers that only count the items of a list.
    Whether a number is an issue at all is for the caller to look up.
    """
    found: dict[tuple[int, str], Mention] = {}
    foreign = foreign_numbers(message, repository)
    for line in _prose(message):
        for mention in _in_line(line, repository.casefold()):
            if mention.number not in foreign:
                found.setdefault((mention.number, mention.approach), mention)
    return list(found.values())


def _prose(message: str) -> Iterator[str]:
    lines = visible_lines(message)
    subject = next((place for place, line in enumerate(lines) if line.strip()), 0)
    numbered = _enumerated(lines, subject)
    for place, line in enumerate(lines):
        if INDENTED.match(line):
            continue
        text = line if place not in numbered else line.replace("#", "", 1)
        yield INLINE_CODE.sub(" ", text)


def _enumerated(lines: list[str], subject: int) -> set[int]:
    """Places of the lines whose leading ``#k`` counts items: a run from 1, or ``#1 text`` alone."""
    run: dict[int, str] = {}
    for place, line in enumerate(lines):
        item = ITEM.match(line)
        if item is not None and int(item["number"]) == len(run) + 1:
            run[place] = item["rest"].strip()
    if len(run) >= 2:
        return set(run)
    return {place for place, text in run.items() if place != subject and text}


def _in_line(line: str, repository: str) -> Iterator[Mention]:
    for link in ISSUE_URL.finditer(line):
        if link["repository"].casefold() == repository:
            yield Mention(int(link["number"]), "url", link[0])
    text = PULL_REQUEST.sub(" ", ANY_URL.sub(" ", line))
    for named in NAMED_ISSUE.finditer(text):
        if named["repository"] is None or named["repository"].casefold() == repository:
            yield Mention(int(named["number"] or named["gh"]), "id", named[0])


def link_fixes(
    commits: pl.DataFrame,
    issues: pl.DataFrame,
    closed_events: pl.DataFrame,
    pull_requests: pl.DataFrame,
    count_approaches: Collection[str],
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
        number) is no issue.
    closed_events : columns number, event_id, commit_sha, pull_request, closer_repository,
        created_at: the events that closed an issue.
    pull_requests : columns number, pull_request_repository, pull_request, relation, is_merged,
        merge_commit_sha, commits: the pull requests that GitHub relates to an issue.
    count_approaches : the approaches whose links make a fix; the paper's rule is ``url`` and
        ``id`` (section III).

    Returns
    -------
    One row per issue, commit and approach, columns as ``links.fix_links``; ``month`` is that
    of the commit.
    """
    links = _Links(commits, issues, count_approaches)
    for commit in _telling(commits).iter_rows(named=True):
        for mention in mentions(commit["message"], commit["repository"]):
            links.add(commit["sha"], mention)
    closing = _own(closed_events, "closer_repository", commits).sort("created_at", "event_id")
    for event in closing.iter_rows(named=True):
        links.add(event["commit_sha"], _closer(event))
    related = _own(pull_requests, "pull_request_repository", commits)
    if related.height:
        _link_pull_requests(links, related, History(commits, issues["number"].to_list()))
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
        """Whether the link is there."""
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


def _link_pull_requests(links: _Links, related: pl.DataFrame, history: History) -> None:
    """Link the commits by which the pull requests of an issue landed."""
    landed: dict[PullRequest, list[Landing]] = {}
    by_pull = related.sort("number", "pull_request", "relation").group_by(
        "number", "pull_request", maintain_order=True
    )
    for (number, _), rows in by_pull:
        told = rows.row(-1, named=True)  # of linked, where it is: that says how many commits
        pull = PullRequest(
            told["pull_request"], told["is_merged"], told["merge_commit_sha"], told["commits"]
        )
        if pull not in landed:
            landed[pull] = history.landings(pull)
        for landing in landed[pull]:
            relations = rows["relation"].to_list()
            _link_landing(links, int(str(number)), pull.number, landing, relations, history)


def _link_landing(
    links: _Links,
    number: int,
    pull: int,
    landing: Landing,
    relations: list[str],
    history: History,
) -> None:
    told = f"pull request #{pull} ({', '.join(relations)} on GitHub), {landing.words}"
    merges = [sha for sha in landing.own if history.graph.is_merge(sha)]
    do_commits_count = False
    for sha in landing.own:
        evidence = f"{told}, which brought this commit" if landing.is_merge else told
        can_count = links.add(sha, Mention(number, "pull_request", evidence, pull))
        do_commits_count |= can_count and sha not in merges
    if landing.is_merge:
        if not links.has(number, landing.sha, "closed_by_pull_request"):
            links.add(landing.sha, Mention(number, "pull_request", f"{told}, this commit", pull))
        if do_commits_count:
            for sha in [landing.sha, *merges]:
                links.repeat(number, sha)


def _telling(commits: pl.DataFrame) -> pl.DataFrame:
    """Commits whose message could name an issue at all: most cannot, and need no parsing."""
    return commits.filter(pl.col("message").str.contains(r"(?i)#\d|gh-\d|/issues/\d"))


def _own(told: pl.DataFrame, column: str, commits: pl.DataFrame) -> pl.DataFrame:
    """What GitHub tells of the repository itself, whose name in ``column`` may be spelt freely."""
    names = commits["repository"].unique().str.to_lowercase().to_list()
    return told.filter(pl.col(column).str.to_lowercase().is_in(names))


def _closer(event: Mapping[str, object]) -> Mention:
    number = int(str(event["number"]))
    if event["pull_request"] is None:
        return Mention(number, "closed_by_commit", f"closed by commit {event['commit_sha']}")
    pull = int(str(event["pull_request"]))
    evidence = f"closed by pull request #{pull}"
    return Mention(number, "closed_by_pull_request", evidence, pull)
