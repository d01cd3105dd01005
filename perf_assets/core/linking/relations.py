"""What commits do to others of their branch: take them back, bring them again, or copy them."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from perf_assets.core.linking.pull_requests import History, PullRequest, own_names
from perf_assets.core.linking.revert_words import (
    NAMES_OTHERS,
    Named,
    picked_from,
    subject_key,
    subject_of,
    taken_back,
    without_trailers,
)
from perf_assets.schema import schema_of

REVERTS, RESTORES, COPIES = "reverts", "restores", "copies"
_OPPOSITE = {REVERTS: RESTORES, RESTORES: REVERTS}
_SURE_WORDS = 3  # words of a subject that hardly two commits have by chance
_LOOKED_AT = 50  # commits of one subject that are compared with the line of a revert
_LONGEST_RANGE = 1_000  # commits
_PATCH = ("author_name", "authored_at", "additions", "deletions", "changed_files")


def relate_commits(
    commits: pl.DataFrame, history: History, pull_requests: pl.DataFrame
) -> pl.DataFrame:
    """Say which commits of the default branch take back, bring again or copy which others.

    A revert takes back what it names (:func:`perf_assets.core.linking.revert_words.taken_back`):
    commits by hash, the commits by which a pull request landed, what a merge brought, else the
    latest earlier commit with the quoted subject, on its own line of first parents if several have
    it. A revert of a revert restores what the first one took back, and so on. A copy is a commit
    that ``git cherry-pick -x`` made, or that has author, time, message and numbers of changed lines
    and files of an earlier one.

    Parameters
    ----------
    commits : columns repository, sha, message, committed_at, month, branch (NULL on the default
        branch), author_name, authored_at, additions, deletions, changed_files, is_merge.
    history : the same commits.
    pull_requests : columns pull_request_repository, pull_request, is_merged, merge_commit_sha,
        commits: those that GitHub relates to issues.

    Returns
    -------
    Columns as ``links.commit_relations``; ``month`` is that of the commit that says so.
    """
    names = commits["repository"].unique().to_list()
    rows = commits.filter(pl.col("branch").is_null())
    places = dict(zip(rows["sha"], rows.select("repository", "month").iter_rows(), strict=True))
    messages = dict(rows.select("sha", pl.col("message").fill_null("")).iter_rows())
    pulls = _pulls(pull_requests, names)
    reverts = _Reverts(history, messages, pulls, own_names((*names, *history.aliases)))
    found = [
        (sha, other, relation, evidence)
        for sha, effects in reverts.effects.items()
        for other, (relation, evidence) in effects.items()
    ]
    found += [(sha, other, COPIES, why) for (sha, other), why in _copies(rows, reverts).items()]
    table = [(places[sha][0], sha, other, *rest, places[sha][1]) for sha, other, *rest in found]
    schema = schema_of("links.commit_relations")
    return pl.DataFrame(table, schema=schema, orient="row").sort("sha", "related_sha", "relation")


def _pulls(pull_requests: pl.DataFrame, names: list[str]) -> dict[int, PullRequest]:
    is_own = pl.col("pull_request_repository").str.to_lowercase().is_in(sorted(own_names(names)))
    columns = ("pull_request", "is_merged", "merge_commit_sha", "commits")
    own = pull_requests.filter(is_own).sort("relation").select(columns)
    return {row[0]: PullRequest(*row) for row in own.iter_rows()}


@dataclass
class _Reverts:
    """Read the reverts of a history from its beginning to its end."""

    history: History
    messages: Mapping[str, str]
    pulls: Mapping[int, PullRequest]
    own: frozenset[str]
    effects: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read every message, parents first."""
        graph = self.history.graph
        order = graph.ordered(self.messages)
        self.place = {sha: place for place, sha in enumerate(order)}
        self._hashes = sorted(order)
        self._revert_of: dict[str, str] = {}
        self._by_subject: dict[str, list[str]] = {}
        for sha in order:
            message = self.messages[sha]
            if NAMES_OTHERS.search(message) and (taken := self._taken(sha, message)):
                self.effects[sha] = self._effects(taken)
                taken_now = (o for o, (kind, _) in self.effects[sha].items() if kind == REVERTS)
                self._revert_of |= dict.fromkeys(taken_now, sha)
            subjects = {subject_of(message), message.partition("\n")[0]}
            for key in {subject_key(s, with_number=w) for s in subjects for w in (True, False)}:
                self._by_subject.setdefault(key, []).append(sha)

    def _effects(self, taken: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Return what taking back ``taken`` does, also to others where these are reverts."""
        effects: dict[str, tuple[str, str]] = {}
        for sha, evidence in taken.items():
            for other, (relation, _) in self.effects.get(sha, {}).items():
                effects[other] = (_OPPOSITE[relation], evidence)
        return effects | {sha: (REVERTS, evidence) for sha, evidence in taken.items()}

    def _taken(self, sha: str, message: str) -> dict[str, str]:
        """Return the commits that a commit takes back, each with the words that say so."""
        taken: dict[str, str] = {}
        for named in taken_back(message):
            if taken and named.sort.endswith("subject"):
                break
            for other in self._resolved(sha, named):
                for commit in (other, *self._brought(other)):
                    if self.place.get(commit, len(self.place)) < self.place[sha]:
                        taken.setdefault(commit, named.words)
        return taken

    def _resolved(self, sha: str, named: Named) -> list[str]:
        if named.sort == "commit":
            commit = self.hash_of(named.name)
            commits = [] if commit is None else [commit]
        elif named.sort == "range":
            commits = self._range(*named.name.split(".."))
        elif named.sort == "pull_request":
            commits = self._landed(sha, named.name)
        else:
            commits = self._titled(sha, named)
        if named.is_again:  # what was taken back is named: its revert goes
            return [self._revert_of[commit] for commit in commits if commit in self._revert_of]
        return commits

    def hash_of(self, beginning: str) -> str | None:
        """Return the one commit whose hash begins so; None if there is none, or several."""
        place = bisect_left(self._hashes, beginning)
        near = self._hashes[place : place + 2]
        commits = [sha for sha in near if sha.startswith(beginning)]
        return commits[0] if len(commits) == 1 else None

    def _range(self, first: str, last: str) -> list[str]:
        """Return the commits after ``first`` up to ``last`` if both are on one line."""
        start, end = self.hash_of(first), self.hash_of(last)
        line: list[str] = []
        while start is not None and end is not None and end != start:
            line.append(end)
            end = self.history.graph.first_parent(end)
            if end not in self.place or len(line) > _LONGEST_RANGE:
                return []
        return line if start is not None and end == start else []

    def _landed(self, sha: str, name: str) -> list[str]:
        """Return the commits of the latest earlier landing of a pull request."""
        home, _, number = name.rpartition("#")
        if home and home.casefold() not in self.own:
            return []
        pull = self.pulls.get(int(number), PullRequest(int(number), is_merged=False))
        landings = {
            self.place[landing.sha]: landing
            for landing in self.history.landings(pull)
            if landing.sha in self.place and self.place[landing.sha] < self.place[sha]
        }
        if not landings:
            return []
        latest = landings[max(landings)]
        return [latest.sha, *latest.own]

    def _titled(self, sha: str, named: Named) -> list[str]:
        """Return the latest earlier commit with a subject; of several, one on ``sha``'s line."""
        exact = self._by_subject.get(subject_key(named.name, with_number=True))
        found = exact or self._by_subject.get(subject_key(named.name), [])
        is_sure = len(named.name.split()) >= _SURE_WORDS
        if not found or (named.sort == "plain_subject" and not is_sure):
            return []
        is_on_line = self.history.graph.is_on_line
        on_line = (other for other in reversed(found[-_LOOKED_AT:]) if is_on_line(other, sha))
        latest = next(on_line, found[-1] if is_sure or len(found) == 1 else None)
        return [] if latest is None else [latest]

    def _brought(self, sha: str) -> list[str]:
        """Return what a merge brought, unless it brought the main line into a branch."""
        graph = self.history.graph
        if not graph.is_merge(sha):
            return []
        brought = graph.brought_by(sha)
        return brought if graph.main_line.isdisjoint(brought) else []


def _copies(rows: pl.DataFrame, reverts: _Reverts) -> dict[tuple[str, str], str]:
    """Return which commit is a copy of which earlier one, and why."""
    found: dict[tuple[str, str], str] = {}
    for sha, message in reverts.messages.items():
        for named in picked_from(message):
            original = reverts.hash_of(named.name)
            if original is not None and original != sha:
                found[sha, original] = named.words
    patches = rows.filter(
        ~pl.col("is_merge") & (pl.col("additions") + pl.col("deletions") > 0)
    ).with_columns(pl.col("message").fill_null("").map_elements(without_trailers, pl.String))
    alike = patches.filter(pl.struct(*_PATCH, "message").is_duplicated())
    for group in alike.group_by(*_PATCH, "message").agg("sha")["sha"]:
        first, *others = sorted(group, key=reverts.place.__getitem__)
        for sha in others:
            found.setdefault((sha, first), "same author, time, message and changed lines")
    return found
