"""What raters answered, in a database of its own: on the disk before the page says so.

Nothing is overwritten: an answer is a row, and the last one of a rater on a subject is in force; a
row without answers takes back what was there. Where a rater is shown the tool's label or what
others said of a subject, this is a row too: answers before and after it are told apart.
"""

import hmac
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.review_sheets.codebook import codebook

FILE = "review.sqlite"
BUSY_SECONDS = 20
DISCLOSED = "answers left join disclosures using (rater, kind, container, number)"

SCHEMA = """
create table if not exists subjects (
    kind text not null, container text not null, number text not null, drawn text not null,
    primary key (kind, container, number)
) without rowid;
create table if not exists raters (name text primary key, secret text not null) without rowid;
create table if not exists queues (
    rater text not null, position integer not null, kind text not null, container text not null,
    number text not null, primary key (rater, kind, container, number)
) without rowid;
create table if not exists answers (
    id integer primary key, at text not null, rater text not null, kind text not null,
    container text not null, number text not null, answer text not null, seconds real,
    is_to_discuss integer not null
);
create index if not exists answers_of_raters on answers (rater, kind, container, number);
create table if not exists codes (
    id integer primary key, at text not null, rater text not null, change text not null,
    name text not null, into_name text not null, definition text not null
);
create table if not exists disclosures (
    rater text not null, kind text not null, container text not null, number text not null,
    at text not null, last_answer integer not null,
    primary key (rater, kind, container, number)
) without rowid;
create table if not exists collections (at text not null, last_answer integer not null);
create table if not exists study (id text not null);
insert into study select lower(hex(randomblob(4))) where not exists (select * from study);
"""

# Files without a version have no disclosures. In them an answer that replaced another one, without
# an undo between, was changed in the page that showed the label.
FIRST_VERSION = """
begin immediate;
insert or ignore into disclosures
select rater, kind, container, number, min(next_at), min(id)
from (
    select *, lead(at) over subject as next_at, lead(answer) over subject as next_answer
    from answers where rater <> 'agreed'
    window subject as (partition by rater, kind, container, number order by id)
)
where answer <> '{}' and next_answer not in ('{}', answer)
group by rater, kind, container, number;
pragma user_version = 1;
commit;
"""

# Version 1 did not store by which revision of the codebook an answer was given. It was revision 2.
REVISIONS = """
begin immediate;
alter table answers add column codebook_revision integer not null default 2;
pragma user_version = 2;
commit;
"""
WAITING = """
select count(distinct (rater || char(0) || kind || char(0) || container || char(0) || number))
from answers inner join subjects using (kind, container, number)
where drawn = 'random' and answer <> '{}' and id > coalesce(?, 0)
"""


@dataclass(frozen=True, order=True)
class Key:
    """What tells subjects apart: their kind, the repository or forum, and the number."""

    kind: str
    container: str
    number: str


@dataclass(frozen=True)
class Answer:
    """What a rater says of a subject, as the cells of a sheet, and how long it took.

    ``disclosed_at`` is when the rater was first shown the label or what others said of the subject;
    None where the answer was given before that. ``codebook_revision`` is that of the codebook by
    which the answer was given.
    """

    key: Key
    rater: str
    cells: Mapping[str, str]
    at: str
    seconds: float | None = None
    is_to_discuss: bool = False
    disclosed_at: str | None = None
    codebook_revision: int = field(default_factory=lambda: codebook().revision)


@dataclass(frozen=True)
class CodeChange:
    """A step in which the codebook grew: proposed, renamed, merged or split, and by whom."""

    at: str
    rater: str
    change: str
    name: str
    into_name: str
    definition: str


class Store:
    """The answers in a folder.

    Raises
    ------
    PerfAssetsError
        The file is damaged, or cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        """Open the file, or make it."""
        self.path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with self._connection() as connection:
                connection.executescript(SCHEMA)
                if connection.execute("pragma user_version").fetchone() == (0,):
                    connection.executescript(FIRST_VERSION)
                if connection.execute("pragma user_version").fetchone() == (1,):
                    connection.executescript(REVISIONS)
            self.path.chmod(0o600)
        except (OSError, sqlite3.Error) as error:
            raise PerfAssetsError(
                f"{self.path}: answers cannot be kept there ({error}): free the disk, or move the "
                "file away, and start again"
            ) from None

    def add_subjects(self, keys: Sequence[Key], drawn: str) -> None:
        """Note subjects that are to be judged, and how they were drawn; known ones stay as is."""
        with self._writing() as connection:
            connection.executemany(
                "insert or ignore into subjects values (?, ?, ?, ?)",
                [(*astuple(key), drawn) for key in keys],
            )

    def drawn(self) -> dict[Key, str]:
        """Return how each subject was drawn."""
        rows = self._rows("select kind, container, number, drawn from subjects")
        return {Key(*row[:3]): row[3] for row in rows}

    def secret_of(self, rater: str) -> str:
        """Return the secret of a rater's link, which stays the same."""
        with self._connection() as connection:
            connection.execute(
                "insert or ignore into raters values (?, ?)", [rater, secrets.token_urlsafe(24)]
            )
        return str(self._rows("select secret from raters where name = ?", [rater])[0][0])

    def study(self) -> str:
        """Return what tells this study from others on the same host; no secret."""
        return str(self._rows("select id from study")[0][0])

    def raters(self) -> list[str]:
        """Return the names of all raters."""
        return [name for (name,) in self._rows("select name from raters order by name")]

    def rater_of(self, secret: str) -> str | None:
        """Return whose secret it is; compared in a time that tells nothing of it."""
        rater = None
        for name, known in self._rows("select name, secret from raters"):
            if hmac.compare_digest(str(known).encode(), secret.encode()):
                rater = str(name)
        return rater

    def set_queue(self, rater: str, keys: Sequence[Key]) -> None:
        """Add subjects to the end of a rater's queue, in their order."""
        with self._writing() as connection:
            last = connection.execute(
                "select coalesce(max(position), 0) from queues where rater = ?", [rater]
            ).fetchone()[0]
            connection.executemany(
                "insert or ignore into queues values (?, ?, ?, ?, ?)",
                [(rater, position, *astuple(key)) for position, key in enumerate(keys, last + 1)],
            )

    def queue(self, rater: str) -> list[Key]:
        """Return the subjects of a rater, in order."""
        query = "select kind, container, number from queues where rater = ? order by position"
        return [Key(*row) for row in self._rows(query, [rater])]

    def add(self, answer: Answer) -> None:
        """Keep an answer; it is on the disk when this returns."""
        with self._writing() as connection:
            connection.execute(
                "insert into answers (at, rater, kind, container, number, answer, seconds, "
                "is_to_discuss, codebook_revision) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    *(answer.at, answer.rater, *astuple(answer.key)),
                    json.dumps(dict(answer.cells), sort_keys=True),
                    answer.seconds,
                    int(answer.is_to_discuss),
                    answer.codebook_revision,
                ],
            )

    def disclose(self, rater: str, keys: Iterable[Key]) -> None:
        """Note that a rater is shown the label or what others said; the first time counts."""
        with self._writing() as connection:
            connection.executemany(
                "insert or ignore into disclosures "
                "select ?, ?, ?, ?, ?, coalesce(max(id), 0) from answers",
                [(rater, *astuple(key), now()) for key in keys],
            )

    def answers(self, rater: str | None = None, *, with_first: bool = False) -> list[Answer]:
        """Return the answers in force, of one rater or of all, in their order.

        ``with_first`` adds those in force before disclosure to subjects that were judged again.
        """
        rows = self._rows(
            f"""
            select
                kind, container, number, rater, answer, answers.at, seconds, is_to_discuss,
                case when id > last_answer then disclosures.at end, codebook_revision
            from {DISCLOSED} where id in (
                select max(id) from {DISCLOSED} where ?1 is null or rater = ?1
                group by rater, kind, container, number, ?2 and id > last_answer
            )
            order by id
            """,
            [rater, with_first],
        )
        return [
            Answer(Key(*row[:3]), row[3], cells, row[5], row[6], bool(row[7]), *row[8:])
            for row in rows
            if (cells := json.loads(row[4]))
        ]

    def last_answer(self) -> int:
        """Return the identity of the newest answer; 0 without answers."""
        return int(self._rows("select coalesce(max(id), 0) from answers")[0][0])

    def note_collection(self, last_answer: int) -> None:
        """Note that the answers up to ``last_answer`` are in the database; once."""
        with self._writing() as connection:
            connection.execute(
                "insert into collections select ?1, ?2 "
                "where not exists (select * from collections where last_answer = ?2)",
                [now(), last_answer],
            )

    def add_code(self, change: CodeChange) -> None:
        """Keep a step in which the codebook grew."""
        with self._writing() as connection:
            connection.execute(
                "insert into codes (at, rater, change, name, into_name, definition) "
                "values (?, ?, ?, ?, ?, ?)",
                list(vars(change).values()),
            )

    def codes(self) -> list[CodeChange]:
        """Return the steps in which the codebook grew, in their order."""
        query = "select at, rater, change, name, into_name, definition from codes order by id"
        return [CodeChange(*row) for row in self._rows(query)]

    def _rows(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._connection() as connection:
            return connection.execute(query, parameters).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Provide a connection whose changes are on the disk at the end of the block."""
        try:
            with self._connection() as connection:
                yield connection
        except sqlite3.Error as error:
            raise PerfAssetsError(
                f"{self.path}: this could not be kept ({error}): free the disk, and save it again"
            ) from None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
        try:
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            with connection:
                yield connection
        finally:
            connection.close()


def waiting_answers(folder: Path) -> int:
    """Return how many answers of the page in ``folder`` are not in the database yet.

    What was chosen because rule and classifier differ does not wait: it is never collected. The
    file is only read. Of a damaged file, 0 is returned: the page and collect name it.
    """
    path = folder / FILE
    if not path.exists():
        return 0
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            last = None
            if connection.execute("pragma user_version").fetchone() >= (2,):
                last = connection.execute("select max(last_answer) from collections").fetchone()[0]
            return int(connection.execute(WAITING, [last]).fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:
        return 0


def now() -> str:
    """Return this moment in UTC, as it is kept."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def fill(
    store: Store, keys: Sequence[Key], drawn: str, raters: Sequence[str], seed: int, overlap: int
) -> None:
    """Give subjects to raters; those that a rater has already stay where they are.

    ``drawn`` is how the subjects were drawn, ``seed`` decides the order of each rater. Every rater
    gets ``overlap`` percent of the subjects; the others are divided in turn.
    """
    store.add_subjects(keys, drawn)
    common = round(len(keys) * overlap / 100)
    divided = keys[common:]
    for index, rater in enumerate(raters):
        own = [*keys[:common], *divided[index :: len(raters)]]
        store.set_queue(rater, shuffled(own, seed, rater))


def shuffled(keys: Sequence[Key], seed: int, rater: str) -> list[Key]:
    """Return the subjects in an order that is each rater's own, and the same for the same seed."""

    def order(key: Key) -> str:
        text = f"{seed} {rater} {key.kind} {key.container}#{key.number}"
        return sha256(text.encode()).hexdigest()

    return sorted(keys, key=order)
