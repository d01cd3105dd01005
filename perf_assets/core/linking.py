"""Linking: which commits fixed which issues, with the approach and the evidence of each link."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from perf_assets.core.frames import Columns
from perf_assets.core.markdown import visible_lines

APPROACHES = ("url", "id", "closed_by_commit", "closed_by_pull_request")

LINK_SCHEMA: Columns = {
    "repository": pl.String,
    "number": pl.Int64,
    "sha": pl.String,
    "approach": pl.String,
    "evidence": pl.String,
    "is_counted": pl.Boolean,
    "month": pl.String,
}

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
    """An issue named by a commit message: its number, the approach, and the words that name it."""

    number: int
    approach: str
    evidence: str


def mentions(message: str, repository: str) -> list[Mention]:
    """The issues of ``repository`` that a commit message names, one per number and approach.

    ``url`` is a link to the issue; ``id`` its number written ``#12``, ``GH-12`` or
    ``owner/name#12``, with or without a verb. Left out are fenced, inline and indented code,
    links and numbers of other repositories, numbers called a pull request, and numbers that only
    count the items of a list.
    Whether a number is an issue at all is for the caller to look up.
    """
    found: dict[tuple[int, str], Mention] = {}
    for line in _prose(message):
        for mention in _in_line(line, repository.casefold()):
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
    count_approaches: Collection[str],
) -> pl.DataFrame:
    """Link the commits of one repository to the issues they fixed.

    A commit is only linked to an issue that had been opened when it was committed.

    Parameters
    ----------
    commits : columns repository, sha, message, committed_at, month.
    issues : columns number, created_at. Any number that is not here (a pull request, an unknown
        number) is no issue.
    closed_events : columns number, event_id, commit_sha, pull_request, closer_repository,
        created_at: the events that closed an issue.
    count_approaches : the approaches whose links make a fix; the study's rule is ``url`` and
        ``id`` (section III).

    Returns
    -------
    One row per issue, commit and approach, columns as ``LINK_SCHEMA``; ``month`` is the commit's.
    """
    opened: Mapping[int, datetime] = dict(issues.select("number", "created_at").iter_rows())
    rows: dict[tuple[int, str, str], tuple[object, ...]] = {}

    def add(commit: Mapping[str, object], mention: Mention) -> None:
        key = (mention.number, str(commit["sha"]), mention.approach)
        when = opened.get(mention.number)
        if when is None or when > commit["committed_at"] or key in rows:  # type: ignore[operator]
            return
        counted = mention.approach in count_approaches
        rows[key] = (commit["repository"], *key, mention.evidence, counted, commit["month"])

    for commit in _telling(commits).iter_rows(named=True):
        for mention in mentions(commit["message"], commit["repository"]):
            add(commit, mention)
    for commit in _closing(commits, closed_events).iter_rows(named=True):
        add(commit, _closer(commit))
    frame = pl.DataFrame(list(rows.values()), schema=LINK_SCHEMA, orient="row")
    return frame.sort("number", "sha", "approach")


def _telling(commits: pl.DataFrame) -> pl.DataFrame:
    """Commits whose message could name an issue at all: most cannot, and need no parsing."""
    return commits.filter(pl.col("message").str.contains(r"(?i)#\d|gh-\d|/issues/\d"))


def _closing(commits: pl.DataFrame, closed_events: pl.DataFrame) -> pl.DataFrame:
    own = closed_events.sort("created_at", "event_id").select(
        "number", "pull_request", "closer_repository", sha="commit_sha"
    )
    return own.join(commits, on="sha", how="inner", maintain_order="left").filter(
        pl.col("closer_repository").str.to_lowercase() == pl.col("repository").str.to_lowercase()
    )


def _closer(event: Mapping[str, object]) -> Mention:
    number = int(str(event["number"]))
    if event["pull_request"] is None:
        return Mention(number, "closed_by_commit", f"closed by commit {event['sha']}")
    evidence = f"closed by pull request #{event['pull_request']}"
    return Mention(number, "closed_by_pull_request", evidence)
