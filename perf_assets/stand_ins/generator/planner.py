"""The plan of a synthetic repository while it grows: its calendar, people, issues and commits."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from random import Random
from types import EllipsisType

from perf_assets.base.months import add_months, start_of
from perf_assets.stand_ins.generator.model import (
    Branch,
    Closer,
    Comment,
    Commit,
    Edit,
    Event,
    Issue,
    Person,
    Pull,
    Trap,
)
from perf_assets.stand_ins.generator.texts import FIRST_FORM, SECOND_FORM, Texts, filled, implied

HOUR = 3600
DAY = 24 * HOUR
OFFSETS = (0, 0, 60, 330, 540, -300, -480)
BOTS = ("tensorkit-bot[bot]", "stale[bot]")
AREAS = ("module: nn", "module: data", "OS: windows", "docs")
TRIAGE = ("triaged", "good first issue")
NAMES = ("Ada", "Bo", "Chen", "Dalia", "Émile", "Fritz", "Grace", "Hana", "İpek", "Jürgen")
LONG_MONTHS = 6  # from here on there are months without issues and without commits
GAP_EVERY = 97


class Calendar:
    """The months of the plan as moments: when each begins, and which hold nothing.

    ``template`` and ``second_template`` are the months in which the issue template is committed
    and changed; None when the plan is too short.
    """

    def __init__(self, start: str, months: int) -> None:
        """Return a calendar of ``months`` months from ``start`` (YYYY-MM) on."""
        self.count = months
        self.names = [add_months(start, offset) for offset in range(months)]
        self.starts = [
            int(start_of(add_months(start, offset)).timestamp()) for offset in range(months + 1)
        ]
        self.end = self.starts[-1]
        is_long = months >= LONG_MONTHS
        self.template = months // 4
        self.second_template = months * 3 // 5 if is_long else None
        self.quiet_for_commits = self.template + 1 if is_long else None
        self.quiet_for_issues = months * 3 // 4 if is_long else None
        self.busy = [month for month in range(months) if month != self.quiet_for_issues]
        self.weights = [1 + 3 * month / months for month in self.busy]

    def month_of(self, moment: int) -> int:
        """Return the index of the month that holds ``moment``."""
        return bisect_right(self.starts, moment) - 1


class Plan:
    """Issues, pull requests and commits as planned so far, and the means to plan more."""

    def __init__(self, rng: Random, calendar: Calendar, repository: str, issues: int) -> None:
        """Begin an empty plan; the expected number of ``issues`` decides how many
        people there are.
        """
        self.rng = rng
        self.calendar = calendar
        self.repository = repository
        self.texts = Texts(rng)
        self.issues: list[Issue] = []
        self.pulls: list[Pull] = []
        self.commits: list[Commit] = []
        self.gaps: list[int] = []
        self.traps: dict[str, Trap] = {}
        self.trap: Trap | None = None
        self.lifeless: list[Issue] = []
        self.lateness = 1
        self.has_template = False
        self.form_commit: Commit | None = None
        self.work: dict[int, str] = {}  # by the identity of the commit, what its message says
        self.form_reports: list[Issue] = []
        self.people_by_login: dict[str, Person] = {}
        self.logins = [f"dev{n:04d}" for n in range(16 + issues // 3)]

    @cached_property
    def read_until(self) -> int:
        """The newest of anything that happened; to be asked once all is planned."""
        return max(issue.updated for issue in self.issues)

    # Moments

    def month(self, first: int = 0, room: int = 0) -> int:
        """Return a month that has issues, from ``first`` on, ``room`` months before the end if it
        can.
        """
        busy = self.calendar.busy
        last = self.calendar.count - 1 - room
        fitting = [index for index, month in enumerate(busy) if first <= month <= last]
        if not fitting:
            return max(first, busy[0])
        weights = [self.calendar.weights[index] ** self.lateness for index in fitting]
        return busy[self.rng.choices(fitting, weights)[0]]

    def moment(self, month: int) -> int:
        """Return a moment in ``month``, away from its borders."""
        starts = self.calendar.starts
        return self.rng.randrange(starts[month] + 2 * HOUR, starts[month + 1] - HOUR)

    def after(self, moment: int, days: float) -> int:
        """Return a moment about ``days`` after ``moment``, within the plan and a month with
        commits.
        """
        end = self.calendar.end - 1
        later = moment + max(1, int(days * DAY))
        if later >= end:
            later = min(end, moment + max(1, int((end - moment) * self.rng.random())))
        if self.calendar.month_of(later) == self.calendar.quiet_for_commits:
            next_month = self.calendar.starts[self.calendar.month_of(later) + 1]
            later = next_month + self.rng.randrange(HOUR, 5 * DAY)
        return later

    # People

    def login(self) -> str:
        """Return a person; some are far more active than others."""
        return self.logins[int(len(self.logins) * self.rng.random() ** 2)]

    def account(self) -> str | None:
        """Return a person, a bot or, rarely, a deleted account."""
        draw = self.rng.random()
        if draw < 0.03:
            return None
        return self.rng.choice(BOTS) if draw < 0.06 else self.login()

    def people(self, count: int, besides: Sequence[str | None] = ()) -> list[str]:
        """Return ``count`` different persons, none of them among ``besides``."""
        free = [login for login in self.logins if login not in besides]
        return self.rng.sample(free, count)

    # Issues

    def issue(
        self,
        month: int | None = None,
        *,
        created: int | None = None,
        body: str | None = None,
        author: str | EllipsisType | None = ...,
    ) -> Issue:
        """Return a bug report that is not a performance bug, of ``month`` or ``created``.

        ``author`` is drawn when it is not given; None is a deleted account.
        """
        if created is None:
            created = self.moment(self.month() if month is None else month)
        issue = Issue(
            title=self.texts.title(),
            body=self.texts.prose() if body is None else body,
            author=self.account() if isinstance(author, EllipsisType) else author,
            created=created,
            numbered=created,
            month=self.calendar.month_of(created),
        )
        self.issues.append(issue)
        if self.trap is not None:
            self.trap.issues.append(issue)
        return issue

    def templated(self, month: int, happens: str | None = None, memory: str = "3 GB") -> str:
        """Return a body written into the template that is in force in ``month``."""
        second = self.calendar.second_template
        form = SECOND_FORM if second is not None and month > second else FIRST_FORM
        version = f"1.{self.rng.randint(0, 9)}.{self.rng.randint(0, 4)}"
        happens = self.texts.prose() if happens is None else happens
        return filled(form, version, memory, happens, self.texts.paragraph())

    def say(self, issue: Issue, keyword: str | None = None, *parts: str) -> Issue:
        """Put ``keyword`` into ``parts`` (title, body; default body), where it counts."""
        keyword = keyword or self.texts.keyword()
        for part in parts or ("body",):
            if part == "title":
                issue.title = self.texts.keyword_title(keyword)
            else:
                issue.body = f"{self.texts.keyword_sentence(keyword)}\n\n{issue.body or ''}".strip()
            issue.parts |= {part}
        issue.keywords |= implied(keyword)
        return issue

    def raise_false_alarm(self, issue: Issue) -> None:
        """Put a keyword into the body, where it counts, in a sentence about something else."""
        keyword = self.texts.keyword()
        issue.body = f"{self.texts.false_sentence(keyword)}\n\n{issue.body or ''}".strip()
        issue.parts |= {"body"}
        issue.keywords |= implied(keyword)
        issue.is_false_alarm = True

    def label(self, issue: Issue, *labels: str, marks: str = "") -> Issue:
        """Put ``labels`` on the issue; ``marks`` says what they mean: performance or other."""
        for label in labels:
            issue.labels.append(label)
            issue.marks[label] = marks
            later = self.rng.choice((0, 1, 5 * 60, 3 * HOUR))
            at = min(issue.created + later, self.calendar.end - 1)
            issue.events.append(Event("labeled", at, issue.author, label=label))
        if marks == "performance":
            issue.performance_labels += labels
        elif marks == "other":
            issue.is_bug_report = False
        return issue

    def unlabel(self, issue: Issue, label: str, at: int) -> None:
        """Record that ``label`` was taken away at ``at``."""
        at = min(at, self.calendar.end - 1)
        issue.events.append(Event("unlabeled", at, self.login(), label=label))

    def close(
        self, issue: Issue, at: int, closer: Closer | None = None, reason: str = "completed"
    ) -> None:
        """Close the issue at ``at``."""
        issue.closings.append(at)
        issue.state_reason = reason
        actor = self.login()
        issue.events.append(Event("closed", at, actor, closer=closer))

    def reopen(self, issue: Issue, at: int) -> None:
        """Reopen the issue at ``at``."""
        issue.reopenings.append(at)
        issue.state_reason = "reopened"
        issue.events.append(Event("reopened", at, self.login()))

    def comment(
        self,
        issue: Issue,
        author: str | None,
        at: int,
        body: Callable[[], str] | str | None = None,
    ) -> None:
        """Add a comment of ``author`` at ``at``; ``body`` is called when all numbers are known."""
        text = self.texts.reply() if body is None else body
        body_of = text if callable(text) else lambda: text
        issue.comments.append(Comment(author, min(at, self.calendar.end - 1), body_of))

    # Pull requests and commits

    def pull(self, at: int, title: str | None = None) -> Pull:
        """Return a pull request that is open at ``at``, opened some days before."""
        first = self.calendar.starts[0] + 2 * HOUR
        created = max(first, at - self.rng.randint(HOUR, 9 * DAY))
        pull = Pull(
            title=title or self.texts.subject(),
            body=self.rng.choice((None, self.texts.paragraph())),
            author=self.account(),
            created=created,
        )
        self.pulls.append(pull)
        if self.trap is not None:
            self.trap.pulls.append(pull)
        return pull

    def merge(self, pull: Pull, commit: Commit) -> None:
        """Let ``commit`` be what merged ``pull``."""
        pull.merge_commit = commit
        pull.closed = max(commit.at, pull.created)

    def commit(
        self,
        at: int,
        message: Callable[[], str] | str,
        links: Sequence[tuple[Issue, str]] = (),
        edit: Edit | None = None,
    ) -> Commit:
        """Return a commit at ``at`` that names the issues in ``links`` in ways that count.

        ``message`` is called when all numbers are known.
        """
        authored = at if self.rng.random() < 0.5 else at - self.rng.randint(1, 2 * DAY)
        commit = Commit(
            at=at,
            message=message if callable(message) else lambda: message,
            edit=edit or self.edit(),
            order=at,
            author_name=f"{self.rng.choice(NAMES)} {self.rng.choice('KLMNOP')}.",
            authored=authored,
            offset_minutes=self.rng.choice(OFFSETS),
            links=list(links),
        )
        self.commits.append(commit)
        if self.trap is not None:
            self.trap.commits.append(commit)
        return commit

    def edit(self, scale: float = 20.0) -> Edit:
        """Return lines to add and to remove, log-normal with a median of ``scale`` added lines."""
        additions = min(900, int(self.rng.lognormvariate(0, 1.1) * scale) + 1)
        return Edit("lines", additions, int(additions * self.rng.random() * 0.8))

    def merged_branch(
        self, at: int, message: Callable[[Pull], str], links: Sequence[tuple[Issue, str]] = ()
    ) -> tuple[Pull, Commit]:
        """Return a pull request with one commit of its own, merged at ``at`` by a merge commit."""
        branch = Branch()
        pull = self.pull(at)
        side = self.commit(self._before(at), self.texts.subject())
        side.branch = branch
        branch.commits.append(side)
        merge = self.commit(at, lambda: message(pull), links, Edit("merge"))
        merge.merges = branch
        self.merge(pull, merge)
        return pull, merge

    def _before(self, moment: int) -> int:
        """Return a moment shortly before ``moment``, in the same month and after the root
        commit.
        """
        first = self.calendar.starts[self.calendar.month_of(moment)]
        return max(first, moment - self.rng.randint(HOUR, DAY))

    def fix(
        self, issue: Issue, at: int, *, by_url: bool = False, edit: Edit | None = None
    ) -> Commit:
        """Return a commit at ``at`` that names ``issue`` by its number, or by its address."""
        subject = self.texts.fix_subject()
        verb = self.rng.choice(("Fixes", "Closes", "Resolves", "See", "fixes"))
        if by_url:
            return self.commit(
                at, lambda: f"{subject}\n\n{verb} {self.url(issue)}", [(issue, "url")], edit
            )
        return self.commit(
            at, lambda: f"{subject}\n\n{verb} #{issue.number}", [(issue, "id")], edit
        )

    @property
    def former_name(self) -> str:
        """The name that the repository had before."""
        return f"{self.repository.partition('/')[0]}-before/{self.repository.partition('/')[2]}"

    def url(self, issue: Issue) -> str:
        """Return the address of the issue on GitHub."""
        return f"https://github.com/{self.repository}/issues/{issue.number}"

    # Numbers

    def number(self) -> None:
        """Give issues and pull requests their numbers, in the order in which they came."""
        items: list[tuple[int, Issue | Pull]] = [(issue.numbered, issue) for issue in self.issues]
        items += [(pull.created, pull) for pull in self.pulls]
        items.sort(key=lambda item: item[0])
        number = 0
        for index, (_, item) in enumerate(items):
            number += 1
            if index % GAP_EVERY == 10:
                self.gaps.append(number)
                number += 1
            item.number = number
