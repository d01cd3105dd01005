"""Changes: what landed on the default branch as one, a commit or a whole pull request."""

import re

import polars as pl

from perf_assets.core.linking.pull_requests import MERGED, History
from perf_assets.core.linking.revert_words import without_trailers

MOST_COMMITS = 200
"""Commits of a pull request that is read as one change; a longer one brings a whole branch."""

SCHEMA = {
    "sha": pl.String,
    "landed_by": pl.String,
    "pull_request": pl.Int64,
    "title": pl.String,
    "body": pl.String,
}
_NUMBER_AT_END = re.compile(r"\((?:#|GH-?)\d{1,9}\)$")


def changes_of(commits: pl.DataFrame, history: History) -> pl.DataFrame:
    """Return the change that each commit of the default branch is, or is a part of.

    The merge of a pull request and the commits that it brought are one change, named after the
    merge, unless one of them says to land another pull request (the merge of a release branch), or
    there are more than :data:`MOST_COMMITS`. Every other commit is a change of its own.

    Parameters
    ----------
    commits : columns sha, message, branch (NULL on the default branch).
    history : of the same commits.

    Returns
    -------
    A row for each commit, sorted by sha: landed_by, the merge whose part it is, NULL where it is
    no part of one; pull_request, the number that the change says to land, NULL without one; title
    and body of the change. The title of a merge is that of its pull request; its body has the
    messages of its commits as well.
    """
    main = commits.filter(pl.col("branch").is_null()).sort("sha")
    messages = dict(main.select("sha", pl.col("message").fill_null("")).iter_rows())
    landed_by: dict[str, str] = {}
    brought: dict[str, list[str]] = {}
    for sha in history.graph.ordered(messages):
        merged = history.merged_by(sha)
        if merged is None:
            continue
        own = [commit for commit in merged[1].own if commit != sha]
        if 0 < len(own) <= MOST_COMMITS and not any(history.numbers_of(one) for one in own):
            brought[sha] = own
            landed_by |= dict.fromkeys(own, sha)
    whole = {}
    for sha in messages.keys() - landed_by.keys():
        numbers = history.numbers_of(sha)
        number = numbers[0] if len(numbers) == 1 else None
        parts = [messages[commit] for commit in reversed(brought.get(sha, ()))]
        whole[sha] = (number, *_read(messages[sha], parts))
    rows = [(sha, landed_by.get(sha), *whole[landed_by.get(sha) or sha]) for sha in messages]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _read(message: str, parts: list[str]) -> tuple[str, str]:
    """Return title and body of a change, ``parts`` being the messages that a merge brought."""
    subject, body = _parted(message)
    if MERGED.match(subject):
        title, body = _parted(body)
        subject = title or (_parted(parts[0])[0] if len(parts) == 1 else subject)
    return subject, "\n\n".join(filter(None, [body, *map(without_trailers, parts)]))


def _parted(message: str) -> tuple[str, str]:
    """Return the subject, without the number of its pull request, and the rest."""
    subject, _, rest = message.strip().partition("\n")
    return _NUMBER_AT_END.sub("", subject.strip()).rstrip(), rest.strip()
