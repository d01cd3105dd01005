"""What raters judge, read from the published database: how it is drawn, and all that is shown."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import polars as pl
from markupsafe import Markup

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.classifier import word_vectors
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.reviews.sampling import draw, draw_each
from perf_assets.core.reviews.similar import ReportVectors, report_vectors
from perf_assets.schema.frames import frame_of
from perf_assets.sources.git.command import GitError, in_clone, local_environment, run
from perf_assets.storage.warehouse import reading
from perf_assets.web.review import rendering
from perf_assets.web.review.fields import REVIEWS
from perf_assets.web.review.store import Key

RANDOM, CHOSEN = "random", "chosen"
"""How a subject was drawn; what was chosen enters no estimate, but trains the classifier."""

MOST_COMMITS = 5
GIT_SECONDS = 10

# Bug reports on which the rule and the classifier differ, the surest of them first.
DIFFERING = """
select repository, number
from staging.bug_reports as bugs
inner join labels.performance_probabilities as probabilities using (repository, number)
where bugs.dataset = 'live' and bugs.is_performance <> probabilities.is_performance
order by abs(probability - 0.5) desc, repository, number
"""
ISSUE = """
select issues.*, labels.is_performance, labels.matched_keywords, labels.matched_labels,
    labels.ignored_lines, probabilities.probability, probabilities.deciding_words
from raw.issues as issues
inner join labels.performance_labels as labels using (repository, number)
left join labels.performance_probabilities as probabilities using (repository, number)
where repository = ? and number = ?
"""
COMMENTS = """
select author, created_at, body from raw.issue_comments
where repository = ? and number = ? order by created_at, comment_id
"""
EVENTS = """
select created_at, event, actor, label from raw.issue_events
where repository = ? and number = ? order by created_at, event_id
"""
FIXES = """
select distinct
    links.sha, commits.message, commits.additions, commits.deletions, commits.committed_at
from links.fix_links as links
inner join raw.commits as commits using (repository, sha)
where repository = ? and links.number = ? and links.is_counted
order by commits.committed_at
"""
QUESTION = """
select questions.*, labels.is_performance, labels.matched_stems
from raw.questions as questions
inner join labels.performance_questions as labels using (forum, question_id)
where forum = ? and question_id = ?
"""
ANSWERS = """
select created_at, body_html from raw.answers
where forum = ? and question_id = ? order by created_at, answer_id
"""
REPORTS = """
select repository, number, title, body, html_url, state from raw.issues
order by repository, number
"""
GROUP = """
select others.number from marts.duplicate_groups as own
inner join marts.duplicate_groups as others using (repository, first_number)
where repository = ? and own.number = ?
"""
TITLES = {
    "bugs": "select title from raw.issues where repository = ? and number = ?",
    "questions": "select title from raw.questions where forum = ? and question_id = ?",
    "findings": """
        select rule || ' in ' || path || ':' || line from raw.static_findings
        where repository = ? and finding_id = ?
    """,
}
FINDING = """
select found.*, repositories.file_url from raw.static_findings as found
left join meta.repositories as repositories using (repository)
where repository = ? and finding_id = ? limit 1
"""


@dataclass(frozen=True)
class Part:
    """A text of a subject: who wrote it and when, and it as HTML."""

    author: str
    at: str
    html: Markup


@dataclass(frozen=True)
class Evidence:
    """What the tool makes of a subject, which raters see once they judged: the label and why."""

    label: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Similar:
    """Another report that may be about the same; ``is_marked`` if people marked them so."""

    number: int
    title: str
    link: str
    state: str
    is_marked: bool


@dataclass(frozen=True)
class Shown:
    """All that is shown of a subject."""

    key: Key
    title: str
    link: str
    parts: tuple[Part, ...]
    evidence: Evidence
    title_html: Markup
    ignored: tuple[str, ...] = ()
    events: tuple[tuple[str, str], ...] = ()
    commits: tuple[tuple[str, Markup], ...] = ()
    facts: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = ()


class Subjects:
    """Reads the published database, and opens it anew where a run has replaced it."""

    def __init__(self, directory: DataDirectory) -> None:
        """Open it.

        Raises
        ------
        PerfAssetsError
            There is none.
        """
        self.directory = directory
        self._lock = Lock()
        self._opened: tuple[tuple[int, int], duckdb.DuckDBPyConnection] | None = None
        self._vectors: ReportVectors | None = None
        self._rows("select 1", [])

    def draw(self, kind: str, labelled: int, unlabelled: int, seed: int) -> list[Key]:
        """Return a random sample: of findings ``labelled`` of each rule, else of both strata.

        Raises
        ------
        PerfAssetsError
            There are none of that kind.
        """
        review = REVIEWS[kind]
        subjects = self.given(kind)
        if subjects.is_empty():
            raise PerfAssetsError(
                f"{self.directory.published} has no {review.form.subjects} to judge"
            )
        if kind == "findings":
            drawn = draw_each(subjects, labelled, seed, review.key, ("repository", "rule"))
        else:
            drawn = draw(subjects, labelled, unlabelled, seed, review.key)
        return [Key(kind, *map(str, key)) for key in drawn.select(review.key).rows()]

    def differing(self, number: int) -> list[Key]:
        """Return the bug reports on which rule and classifier differ most surely."""
        rows = self._frame(DIFFERING).head(number).rows()
        return [Key("bugs", str(repository), str(issue)) for repository, issue in rows]

    def given(self, kind: str) -> pl.DataFrame:
        """Return the given columns of the sheet of a kind, for every subject."""
        return self._frame(REVIEWS[kind].drawn)

    def title(self, key: Key) -> str:
        """Return the title of a subject; empty where it is in the database no more."""
        number = key.number if key.kind == "findings" else int(key.number)
        rows = self._rows(TITLES[key.kind], [key.container, number])
        return str(rows[0][0]) if rows else ""

    def texts(self, key: Key) -> tuple[Part, ...]:
        """Return the texts of a subject, as they are shown; none where it left the database."""
        try:
            return self.shown(key, with_evidence=False, with_commits=False).parts
        except PerfAssetsError:
            return ()

    def shown(self, key: Key, *, with_evidence: bool, with_commits: bool = True) -> Shown:
        """Return all that is shown of a subject; keywords are marked with the evidence alone.

        Raises
        ------
        PerfAssetsError
            It is in the database no more.
        """
        if key.kind == "bugs":
            return self._bug(key, with_evidence=with_evidence, with_commits=with_commits)
        show = {"questions": self._question, "findings": self._finding}
        return show[key.kind](key, with_evidence)

    def _bug(self, key: Key, *, with_evidence: bool, with_commits: bool) -> Shown:
        at = [key.container, int(key.number)]
        row = self._row(ISSUE, at)
        words = row["matched_keywords"] if with_evidence else []
        reasons = [f"label {name}" for name in row["matched_labels"]]
        reasons += [f"keyword {name}" for name in row["matched_keywords"]]
        if row["probability"] is not None:
            reasons.append(
                f"classifier: {row['probability']:.2f}, by {', '.join(row['deciding_words'])}"
            )
        parts = [_part(row["author"], row["created_at"], rendering.markdown(row["body"], words))]
        for author, created_at, body in self._rows(COMMENTS, at):
            parts.append(_part(author, created_at, rendering.markdown(body)))
        return Shown(
            key,
            row["title"],
            row["html_url"],
            tuple(parts),
            _evidence(bool(row["is_performance"]), reasons),
            rendering.marked_text(row["title"], words),
            ignored=tuple(row["ignored_lines"]) if with_evidence else (),
            events=tuple(
                (_day(when), " ".join(filter(None, (event, label, actor and f"by {actor}"))))
                for when, event, actor, label in self._rows(EVENTS, at)
            ),
            commits=tuple(
                self._commits(key.container, self._rows(FIXES, at) if with_commits else ())
            ),
            facts=(row["state"], *((row["labels"] or ()) if with_evidence else ())),
            similar=tuple(self._similar(key.container, int(key.number))) if with_commits else (),
        )

    def _similar(self, repository: str, number: int) -> Iterator[Similar]:
        """Yield reports whose words mean the like; nothing is counted by it."""
        marked = {other for (other,) in self._rows(GROUP, [repository, number])}
        found = self._report_vectors().similar_to(repository, number)
        columns = ("number", "title", "html_url", "state")
        for other, title, link, state in found.select(columns).iter_rows():
            yield Similar(other, title or "", link or "", state, other in marked)

    def _report_vectors(self) -> ReportVectors:
        """Return the vectors of all reports of the database that is open."""
        if self._vectors is None:
            self._vectors = report_vectors(self._frame(REPORTS), word_vectors())
        return self._vectors

    def _question(self, key: Key, with_evidence: bool) -> Shown:
        at = [key.container, int(key.number)]
        row = self._row(QUESTION, at)
        stems = row["matched_stems"] if with_evidence else []
        parts = [_part("question", row["created_at"], rendering.html(row["body_html"]))]
        for created_at, body in self._rows(ANSWERS, at):
            parts.append(_part("answer", created_at, rendering.html(body)))
        return Shown(
            key,
            row["title"],
            row["html_url"],
            tuple(parts),
            _evidence(
                bool(row["is_performance"]), [f"stem {stem}" for stem in row["matched_stems"]]
            ),
            rendering.marked_text(row["title"], stems),
            facts=tuple(row["tags"] or ()),
        )

    def _finding(self, key: Key, _: bool) -> Shown:
        row = self._row(FINDING, [key.container, key.number])
        title = f"{row['rule']} in {row['path']}:{row['line']}"
        at = f"{row['sha']}/{row['path']}#L{row['line']}"
        code = Markup("<pre><code>{}</code></pre>").format(row["code"])
        return Shown(
            key,
            title,
            row["file_url"] + at if row["file_url"] else "",
            (_part(row["severity"], "", code + rendering.markdown(row["message"])),),
            Evidence("", ()),
            rendering.marked_text(title, ()),
        )

    def _commits(
        self, repository: str, fixes: Sequence[tuple[Any, ...]]
    ) -> list[tuple[str, Markup]]:
        clone = self.directory.clone(repository)
        shown = []
        for sha, message, additions, deletions, at in fixes[:MOST_COMMITS]:
            subject = str(message).partition("\n")[0]
            head = f"{sha[:10]} {_day(at)} {subject} (+{additions} -{deletions})"
            shown.append((head, rendering.diff(_patch(clone, str(sha)))))
        return shown

    def _row(self, query: str, key: Sequence[object]) -> Mapping[str, Any]:
        with self._querying() as connection:
            answer = connection.execute(query, key)
            names = [item[0] for item in answer.description or []]
            rows = answer.fetchall()  # what is left unread blocks the connection
        if not rows:
            container, number = key
            raise PerfAssetsError(
                f"{container} {number} is not in {self.directory.published} any more"
            )
        return dict(zip(names, rows[0], strict=True))

    def _rows(self, query: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._querying() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(query, parameters).fetchall()
        return rows

    def _frame(self, query: str) -> pl.DataFrame:
        with self._querying() as connection:
            return frame_of(connection.sql(query))

    @contextmanager
    def _querying(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Provide the connection, for one thread at a time."""
        with self._lock:
            try:
                yield self._connection()
            except duckdb.CatalogException:
                raise PerfAssetsError(
                    f"{self.directory.published} is of an older perf-assets: perf-assets run "
                    "publishes it anew"
                ) from None

    def _connection(self) -> duckdb.DuckDBPyConnection:
        path = self.directory.published
        if not path.exists():
            raise PerfAssetsError(f"{path} is not there yet: perf-assets run makes it")
        status = path.stat()
        version = (status.st_ino, status.st_mtime_ns)
        if self._opened is None or self._opened[0] != version:
            if self._opened is not None:
                self._opened[1].close()
            connection = reading(path)
            connection.execute("SET TimeZone = 'UTC'")
            self._opened, self._vectors = (version, connection), None
        return self._opened[1]


def _patch(clone: Path, sha: str) -> str:
    """Return the changes of a commit, of a merge against its first parent, or why none shows."""
    if not clone.exists():
        return "The clone of the repository is not here."
    show = ("show", "--format=", "--patch", "--first-parent", "-m", sha)
    try:
        patch = run(in_clone(clone, *show), local_environment(), seconds=GIT_SECONDS)
    except GitError:
        return "The clone does not have this commit, or git did not show it in time."
    return patch.decode(errors="replace").strip()


def _part(author: object, at: object, html: Markup) -> Part:
    return Part(str(author or "ghost"), _day(at) if at else "", html)


def _day(at: Any) -> str:  # noqa: ANN401  (of a database)
    return f"{at:%Y-%m-%d %H:%M}" if hasattr(at, "strftime") else str(at)


def _evidence(is_performance: bool, reasons: Sequence[str]) -> Evidence:
    return Evidence("performance" if is_performance else "other", tuple(reasons))
