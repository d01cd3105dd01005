"""What a plan of a synthetic repository consists of: issues, pull requests, commits.

Moments are whole seconds since 1970 in UTC. A person is a login; None and "ghost" are deleted
accounts. Everything in the truth stands here as planned, never as read back from texts.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

GHOST = "ghost"
NAMED_BOT = "tensorkit-robot"
HIDDEN_BOT = "helpdesk"
DISGUISED_BOTS = (NAMED_BOT, HIDDEN_BOT)
"""Programs that GitHub takes for users: one says so by its name, one is known by what it does."""


def is_bot(login: str | None) -> bool:
    """Return whether that account is a program's, whatever GitHub takes it for."""
    return login is not None and (login.endswith("[bot]") or login in DISGUISED_BOTS)


def person(login: str | None) -> str | None:
    """Return the person behind ``login``: None for a deleted account, in either of its
    spellings.
    """
    return None if login == GHOST else login


@dataclass(frozen=True)
class Person:
    """An account: its association with the repository, and the addresses it commits with."""

    login: str
    association: str
    emails: tuple[str, ...]


@dataclass(slots=True)
class Comment:
    """One comment of an issue; ``body`` is called when all numbers are known."""

    author: str | None
    at: int
    body: Callable[[], str]
    reactions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Review:
    """A review of a pull request; ``state`` is GitHub's word for its outcome."""

    author: str | None
    at: int
    state: str


@dataclass(slots=True)
class Pull:
    """A pull request: it takes a number from the same row as the issues.

    ``merge_commit`` is the commit that GitHub names; ``lost_oid`` one that a force push took away.
    ``landed`` are the commits by which it is in the history, where they are not those that
    ``merge_commit`` says; ``size`` is how many commits it had, by default as many. ``closes`` are
    the issues it is linked to. ``lines`` are added and deleted lines and changed files, known once
    the history is written.
    """

    title: str
    body: str | None
    author: str | None
    created: int
    closed: int | None = None
    merge_commit: "Commit | None" = None
    number: int = 0
    lost_oid: str | None = None
    landed: list["Commit"] = field(default_factory=list)
    size: int | None = None
    closes: list["Issue"] = field(default_factory=list)
    lines: tuple[int, int, int] = (0, 0, 0)
    reviews: list[Review] = field(default_factory=list)

    @property
    def is_merged(self) -> bool:
        """Return whether GitHub shows it as merged."""
        return self.merge_commit is not None or self.lost_oid is not None

    @property
    def own(self) -> list["Commit"]:
        """Its commits in the history: of a merge those of the branch."""
        if self.landed or self.merge_commit is None:
            return self.landed
        merged = self.merge_commit.merges
        return [self.merge_commit] if merged is None else merged.commits


@dataclass(slots=True)
class Closer:
    """What closed an issue: a commit, or a pull request.

    ``oid`` names a commit that the history lacks; ``repository`` another repository.
    """

    commit: "Commit | None" = None
    pull: Pull | None = None
    oid: str | None = None
    repository: str | None = None


@dataclass(slots=True)
class Event:
    """One event of an issue's timeline; the fields after ``actor`` belong to single kinds."""

    kind: str
    at: int
    actor: str | None
    label: str | None = None
    closer: Closer | None = None
    previous: str | None = None
    current: str | None = None
    from_repository: str | None = None
    canonical: "Issue | None" = None


@dataclass(slots=True, eq=False)
class Issue:
    """An issue with its planned label decision and its life.

    ``keywords`` and ``parts`` (title, body) are those that count; ``performance_labels`` those
    of ``labels`` that mark performance. ``closings`` and ``reopenings`` alternate, closing
    first. ``marks`` says of labels that it carries or carried what they mean, performance or
    other. ``named_pulls`` are the pull requests that its comments name as its fix. ``chatter``
    weighs how many of the remaining comments this issue draws. ``is_false_alarm`` says that its
    keywords are about something else, ``is_missed`` that it is about performance in other words.
    ``environment`` is what the fields of its body state, by aspect; ``traced_file`` the file of the
    library in which its stack trace ends. ``repeats`` is the report that it is marked as a
    duplicate of, ``labelled_as`` the outcome that a label says.
    """

    title: str
    body: str | None
    author: str | None
    created: int
    numbered: int
    month: int
    labels: list[str] = field(default_factory=list)
    keywords: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    performance_labels: tuple[str, ...] = ()
    marks: dict[str, str] = field(default_factory=dict)
    is_bug_report: bool = True
    closings: list[int] = field(default_factory=list)
    reopenings: list[int] = field(default_factory=list)
    state_reason: str | None = None
    has_close_events: bool = True
    events: list[Event] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    named_pulls: list[Pull] = field(default_factory=list)
    chatter: float = 1.0
    is_false_alarm: bool = False
    is_missed: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    milestone: str | None = None
    reactions: dict[str, int] = field(default_factory=dict)
    traced_file: str = ""
    repeats: "Issue | None" = None
    labelled_as: str | None = None
    number: int = 0

    @property
    def is_performance(self) -> bool:
        """A bug report with a performance label or a keyword that counts."""
        return self.is_bug_report and bool(self.performance_labels or self.keywords)

    @property
    def is_about_performance(self) -> bool:
        """The verdict of a reader, whatever the rule decides."""
        return self.is_bug_report and (
            self.is_missed or (self.is_performance and not self.is_false_alarm)
        )

    @property
    def is_closed(self) -> bool:
        """Closed at the end of the plan."""
        return len(self.closings) > len(self.reopenings)

    @property
    def closed(self) -> int | None:
        """The latest close, None while the issue is open."""
        return self.closings[-1] if self.is_closed else None

    @property
    def updated(self) -> int:
        """The newest of anything that happened on the issue."""
        last_comment = max((comment.at for comment in self.comments), default=self.created)
        last_event = max((event.at for event in self.events), default=self.created)
        return max(self.created, last_comment, last_event, self.closed or 0)


@dataclass(slots=True)
class Edit:
    """What a commit does to the files; ``kind`` names a method of the history's writer."""

    kind: str = "lines"
    additions: int = 0
    deletions: int = 0


@dataclass(slots=True, eq=False)
class Branch:
    """Commits of a pull request beside the main line, until they are merged.

    A topic edits the files that others edit too.
    """

    commits: list["Commit"] = field(default_factory=list)
    is_topic: bool = False


@dataclass(slots=True, eq=False)
class Commit:
    """A commit; sizes and ``sha`` are filled in when the history is written.

    ``order`` is its position in the history, by default its time. ``links`` are the issues its
    message names in a way that counts as a link, with the approach (url, id or plain_id).
    With ``updates_branch`` it merges the main line into its branch. ``quotes`` is an earlier
    commit whose ``sha`` the message gives. ``files`` are added and deleted lines by path,
    ``origins`` the deleted ones by path and who wrote them. ``program_step`` is the step that it
    makes of the planted program, counted from 1; ``form`` the path and text of the issue form that
    it adds. ``author`` is the account that GitHub knows by ``email``, None where it knows none.
    """

    at: int
    message: Callable[[], str]
    edit: Edit
    order: int
    author_name: str
    authored: int
    offset_minutes: int
    encoding: str = "utf-8"
    links: list[tuple[Issue, str]] = field(default_factory=list)
    branch: Branch | None = None
    merges: Branch | None = None
    updates_branch: bool = False
    quotes: "Commit | None" = None
    is_on_main: bool = True
    additions: int = 0
    deletions: int = 0
    changed_files: int = 0
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    origins: Counter[tuple[str, "Commit"]] = field(default_factory=Counter)
    sha: str = ""
    author: str | None = None
    email: str = "author@example.org"
    program_step: int = 0
    form: tuple[str, str] | None = None

    @property
    def is_merge(self) -> bool:
        """Return whether it has two parents."""
        return self.merges is not None or self.updates_branch


@dataclass(slots=True)
class Trap:
    """Which issues, pull requests and commits carry a planted trap."""

    issues: list[Issue] = field(default_factory=list)
    pulls: list[Pull] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
