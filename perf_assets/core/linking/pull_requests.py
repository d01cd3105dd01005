"""Pull requests in git: by which commits of a history a pull request landed."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from perf_assets.core.linking.commit_graph import CommitGraph
from perf_assets.core.linking.host_words import GITHUB, words_of

# GitHub's button, also where the merge was flattened into one commit afterwards.
MERGED = re.compile(r"(?:Merge|Squash) pull request #(\d+) from ")
SQUASHED = re.compile(r"\(#(\d+)\)\s*$")
IMPORTED = re.compile(r"PR #(\d+):")
CLOSES = re.compile(r"\bcloses:? #(\d+)\b", re.IGNORECASE)
# What the tools that copy a company's own history to GitHub write beside it.
IMPORT_MARK = re.compile(
    r"^(?:PiperOrigin-RevId|Differential Revision|fbshipit-source-id): ", re.MULTILINE
)
LANDED = re.compile(
    r"^[^\S\n]*(?:Pull Request resolved:|PR-URL:|Closes:?|Imported from GitHub PR"
    r"|COPYBARA_INTEGRATE_REVIEW=)\s*"
    r"https?://(?:www\.)?github\.com/(?P<repository>[\w.-]+/[\w.-]+)/pull/(?P<number>\d+)\b",
    re.IGNORECASE | re.MULTILINE,
)
# Renovate and Dependabot write github.com so that GitHub shows no reference to the other project.
ADDRESS = re.compile(
    r"https?://(?:(?:(?:www|redirect)\.)?github|togithub)\.com/(?P<repository>[\w.-]+/[\w.-]+)"
    r"/(?P<sort>pull|issues)/"
    r"(?P<number>\d+)\b",
    re.IGNORECASE,
)
REBASE_TAKES = timedelta(minutes=1)


@dataclass(frozen=True)
class PullRequest:
    """A pull request of the repository as GitHub knows it; ``commits`` None where unknown."""

    number: int
    is_merged: bool = True
    merge_commit_sha: str | None = None
    commits: int | None = None


@dataclass(frozen=True)
class Landing:
    """How a pull request came into the history.

    ``sha`` is the commit that completed it, ``own`` are its commits: what a merge brought, the
    commits of a rebase, or the one commit of a squash. ``words`` say so.
    """

    sha: str
    own: tuple[str, ...]
    words: str

    @property
    def is_merge(self) -> bool:
        """Return whether a merge brought the commits."""
        return self.sha not in self.own


def own_names(names: Iterable[str]) -> frozenset[str]:
    """Return the names of a repository, now and before, in lower case for comparisons."""
    return frozenset(name.casefold() for name in names)


def foreign_numbers(message: str, *names: str) -> set[int]:
    """Numbers that a message gives, by address, to issues or pull requests of other repositories.

    ``names`` are those of the repository, now and before. Imported commits name their pull request
    both ways, and the bare number would be taken for one of ours.
    """
    own = own_names(names)
    addresses = [(a["repository"].casefold(), int(a["number"])) for a in ADDRESS.finditer(message)]
    ours = {number for name, number in addresses if name in own}
    return {number for name, number in addresses if name not in own} - ours


def landed_numbers(message: str, *names: str, source: str = GITHUB) -> set[int]:
    """Return the numbers of the pull requests of a repository that a commit says to land.

    ``names`` are those of the repository, now and before.

    By the subject: GitHub's merges, a number in brackets at its end (squashed), ``PR #12:``
    (imported). By lines of the body: an address after ``Pull Request resolved:``, ``Closes``,
    ``PR-URL:``, ``Imported from GitHub PR`` or ``COPYBARA_INTEGRATE_REVIEW=``, and ``closes #12``
    of an imported commit. Whether a number is a pull request is for the caller to look up. On
    another ``source`` than GitHub, see :meth:`HostWords.landed`.
    """
    if words := words_of(names, source):
        return words.landed(message)
    subject = message.lstrip().partition("\n")[0]
    bare = {
        int(found[1])
        for found in (MERGED.match(subject), SQUASHED.search(subject), IMPORTED.match(subject))
        if found
    }
    if IMPORT_MARK.search(message):
        bare |= {int(found[1]) for found in CLOSES.finditer(message)}
    return bare - foreign_numbers(message, *names) | set(_addressed(message, own_names(names)))


def _addressed(message: str, own: Collection[str]) -> Iterator[int]:
    for found in LANDED.finditer(message):
        if found["repository"].casefold() in own:
            yield int(found["number"])


class History:
    """The commits of one repository, searched for those of a pull request."""

    def __init__(
        self,
        commits: pl.DataFrame,
        issue_numbers: Collection[int],
        aliases: Collection[str] = (),
        tip: str | None = None,
        source: str = GITHUB,
    ) -> None:
        """Read who claims which number.

        Parameters
        ----------
        commits : columns repository, sha, parents, message, committed_at, branch (NULL on the
            default branch).
        issue_numbers : numbers that are issues, so that no pull request has them.
        aliases : names that the repository had before.
        tip : the newest commit of the default branch.
        source : the kind of host that numbers the pull requests; only GitHub numbers them with
            the issues.
        """
        self.source = source
        self.aliases = tuple(aliases)
        shas = commits["sha"].to_list()
        is_main = commits["branch"].is_null().to_list()
        self.graph = CommitGraph(
            dict(zip(shas, commits["parents"].to_list(), strict=True)),
            [sha for sha, main in zip(shas, is_main, strict=True) if main],
            tip,
        )
        self._when = dict(zip(shas, commits["committed_at"].to_list(), strict=True))
        self._claims: dict[int, list[str]] = {}
        self._claimed: dict[str, list[int]] = {}
        issues = frozenset(issue_numbers if source == GITHUB else ())
        telling = r"#\d|/pull/\d" if source == GITHUB else r"!\d|/merge_requests/\d"
        referring = commits.filter(pl.col("message").str.contains(telling))
        unrelated = self.graph.unrelated
        for repository, sha, message in referring.select(
            "repository", "sha", "message"
        ).iter_rows():
            names = (repository, *aliases)
            # In the history of another project only an address says that a number is ours.
            numbers = (
                set(_addressed(message, own_names(names)))
                if sha in unrelated
                else landed_numbers(message, *names, source=source)
            )
            for number in numbers - issues:
                self._claims.setdefault(number, []).append(sha)
                self._claimed.setdefault(sha, []).append(number)

    def numbers_of(self, sha: str) -> list[int]:
        """Return the pull requests that a commit says to land."""
        return self._claimed.get(sha, [])

    def merged_by(self, sha: str) -> tuple[int, Landing] | None:
        """Return the only pull request that a merge says to land, and what it brought, if any."""
        numbers = self.numbers_of(sha)
        if len(numbers) != 1 or not self.graph.is_merge(sha):
            return None
        return numbers[0], self._landing(sha, PullRequest(numbers[0]))

    def landings(self, pull: PullRequest) -> list[Landing]:
        """By which commits ``pull`` landed; none where the history does not have it.

        The merge commit that GitHub names wins. Where it names none, or a force push took it away,
        the commits that say so in their message do: those of the main line. Off it numbers may be
        those of a fork, or of another repository whose history was merged in, so that a single one
        counts, and only where GitHub knows the pull request as merged.
        """
        named = pull.merge_commit_sha
        if named is not None and named in self.graph.parents:
            return [self._landing(named, pull)]
        claims = self._claims.get(pull.number, [])
        on_main = [sha for sha in claims if sha in self.graph.main_line]
        if not on_main and not (pull.is_merged and len(claims) == 1):
            return []
        return [self._landing(sha, pull) for sha in on_main or claims]

    def _landing(self, sha: str, pull: PullRequest) -> Landing:
        short = sha[:10]
        if self.graph.is_merge(sha):
            brought = self.graph.brought_by(sha)
            # More than GitHub counts is something else: a merge the wrong way round, say.
            if not pull.commits or len(brought) <= pull.commits:
                return Landing(sha, tuple(brought), f"merged as {short}")
        rebased = self._rebased(sha, pull)
        if rebased:
            return Landing(sha, rebased, f"rebased, {len(rebased)} commits up to {short}")
        return Landing(sha, (sha,), f"landed as {short}")

    def _rebased(self, sha: str, pull: PullRequest) -> tuple[str, ...]:
        """Return the commits up to ``sha`` where GitHub rebased a pull request instead of squashing
        it.

        A rebase makes as many commits as the pull request has, one after the other, none of them a
        merge, within a minute, and none of them says to land something, as a squashed one does.
        """
        run: list[str] = []
        last, here = self._when[sha], sha
        while len(run) < (pull.commits or 0) and here in self._when:
            is_near = abs(last - self._when[here]) <= REBASE_TAKES
            if self.graph.is_merge(here) or here in self._claimed or not is_near:
                return ()
            run.append(here)
            here = self.graph.first_parent(here) or ""
        return tuple(run) if 1 < len(run) == pull.commits else ()
