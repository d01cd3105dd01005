"""Tables that people hand in as CSV, and the lines in which their verdicts are kept."""

import csv
import hashlib
import io
import json
import random
from typing import Any

import duckdb
import polars as pl

from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.questions.classifier_assumptions import KINDS as LABELS
from perf_assets.schema import table_of
from perf_assets.sources.question_kinds.kind_files import read_keywords, read_labelled, wordlists
from perf_assets.sources.replication.reading import read_package
from perf_assets.sources.review_sheets.label_studio import read_tasks
from perf_assets.sources.review_sheets.sheet import FINDINGS, read_sheet, sheet_text
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from perf_assets.storage.verdicts import SUM, VERDICT_KINDS, keep_rows, keep_verdicts
from perf_assets.storage.warehouse import Database
from tests.damaged_inputs.damage import TEXTS, damaged, hostile, json_of, spoilt
from tests.damaged_inputs.kinds import Kind, Surroundings, TryOne
from tests.label_studio_exports import exported, exported_flat, tasks_of
from tests.model_database import insert
from tests.question_rows import question_verdict
from tests.replication_package import write_package
from tests.review_sheets import (
    LINKS,
    QUESTION_LINKS,
    SHEET,
    YES,
    bug_to_judge,
    question_sheet,
    sheet,
    written,
)
from tests.rows import verdict

FINDING = {
    "repository": "owner/name",
    "finding_id": "abc",
    "rule": "loop-invariant-op",
    "severity": "warning",
    "path": "a/b.py",
    "line": 3,
    "code": "tf.constant(1)",
    "message": "It is made again",
    "link": "https://github.com/owner/name/blob/main/a/b.py#L3",
}
FINDING_LINKS = {("owner/name", "abc"): "a/b.py"}
LABELLED = "question_id,kind\r\n" + "".join(f"{n + 10}, {k} \r\n" for n, k in enumerate(LABELS))


def csv_damaged(valid: bytes, chance: random.Random) -> bytes:
    """A table with hostile cells, other separators and quotes, or with its bytes damaged."""
    if chance.random() < 0.35:
        return damaged(valid, chance)
    table = list(csv.reader(io.StringIO(valid.decode("utf-8-sig"), newline="")))
    for _ in range(chance.choice((1, 1, 2, 5))):
        row = chance.choice(table)
        if row:
            index = chance.randrange(len(row))
            row[index] = str(hostile(row[index], chance))
        if chance.random() < 0.1:
            row.append(chance.choice(TEXTS))
        elif chance.random() < 0.1 and row:
            row.pop()
    if chance.random() < 0.2:
        table.append(chance.choice(table))
    text = io.StringIO(newline="")
    how = chance.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    csv.writer(text, quoting=how, delimiter=chance.choice(",,,;\t")).writerows(table)
    return text.getvalue().encode(chance.choice(("utf-8", "utf-8-sig")), "surrogatepass")


def _review_sheets(_: Surroundings) -> TryOne:
    finding = next(csv.DictReader(io.StringIO(sheet_text(pl.DataFrame([FINDING]), FINDINGS))))
    about = {"symptom1": "", "challenge": "", "kinds": "", "note": "so"}
    valid = [
        sheet(YES, {"is_performance": "no", "note": "x"}, {}),
        sheet(YES, **{"title": bug_to_judge(1)["title"]}),
        question_sheet({**YES, **about}, {"is_performance": "unsure"}),
        written([{**finding, "verdict": "right"}], form=FINDINGS),
    ]
    links: Any = LINKS | QUESTION_LINKS | FINDING_LINKS

    def try_one(chance: random.Random) -> object:
        content = csv_damaged(chance.choice(valid).encode(), chance)
        return read_verdicts(SHEET, read_sheet(SHEET, content), links).to_arrow()

    return try_one


def _label_studio(_: Surroundings) -> TryOne:
    answers = ({**YES, "category": "Other", "impact": "both", "note": "x"}, YES, {})
    valid = [export(tasks_of(3), *answers) for export in (exported, exported_flat)]

    def try_one(chance: random.Random) -> object:
        content = json_of(spoilt(chance.choice(valid), chance), chance)
        if chance.random() < 0.4:
            content = damaged(content, chance)
        return read_verdicts(SHEET, read_tasks(SHEET, content), LINKS).to_arrow()

    return try_one


def _labelled(surroundings: Surroundings) -> TryOne:
    path = surroundings.room("labelled") / "labelled.csv"

    def try_one(chance: random.Random) -> object:
        path.write_bytes(csv_damaged(LABELLED.encode(), chance))
        return read_labelled("stackoverflow", path).to_arrow()

    return try_one


def _keywords(surroundings: Surroundings) -> TryOne:
    path = surroundings.room("keywords") / "keywords.csv"
    valid = "".join(f"{kind},word{number}\r\n" for number, kind in enumerate(LABELS))

    def try_one(chance: random.Random) -> object:
        path.write_bytes(csv_damaged(f"kind,keyword\r\n{valid}".encode(), chance))
        return read_keywords("stackoverflow", path, wordlists())

    return try_one


def _published_studies(surroundings: Surroundings) -> TryOne:
    folder = write_package(surroundings.room("package"))
    valid = {path: path.read_bytes() for path in sorted(folder.iterdir())}

    def try_one(chance: random.Random) -> object:
        path = chance.choice(list(valid))
        path.write_bytes(csv_damaged(valid[path], chance))
        try:
            package = read_package(folder, accept_changes=True)
        finally:
            path.write_bytes(valid[path])
        return [frame.to_arrow() for frame in (*package.frames.values(), package.rejected_rows)]

    return try_one


def verdict_lines(path: Any) -> list[bytes]:
    """Lines of verdicts of people as they are logged, by way of the file at ``path``."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = {
            VERDICT_KINDS[0].table: [verdict(n, "Ann", n, "yes", line=n + 1) for n in range(1, 4)],
            VERDICT_KINDS[1].table: [question_verdict(n, "Bob", n) for n in range(1, 3)],
        }
        frames = {}
        for name, given in rows.items():
            _create(connection, name)
            insert(connection, name, given)
            frames[name] = connection.sql(f"FROM {name}").pl()
    path.unlink(missing_ok=True)
    keep_rows(path, frames)
    return path.read_bytes().splitlines(keepends=True)


def lines_damaged(lines: list[bytes], chance: random.Random) -> bytes:
    """Lines of verdicts, one of them damaged: in half of all cases with a checksum that is right.

    A backup of a stranger can have that.
    """
    if chance.random() < 0.4:
        return damaged(b"".join(lines), chance)
    index = chance.randrange(len(lines))
    content = json.loads(lines[index])
    word = next(key for key in content if key != SUM)
    held = spoilt(content[word], chance)
    text = json.dumps(held, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    line = json_of({SUM: hashlib.sha256(text).hexdigest(), word: held}, chance) + b"\n"
    return b"".join([*lines[:index], line, *lines[index + 1 :]])


def _verdicts(surroundings: Surroundings) -> TryOne:
    data_dir = DataDirectory.of(surroundings.room("verdicts"))
    lines = verdict_lines(data_dir.verdicts)

    def try_one(chance: random.Random) -> object:
        data_dir.verdicts.write_bytes(lines_damaged(lines, chance))
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            for sort in VERDICT_KINDS:
                _create(connection, sort.table)
            return keep_verdicts(Database(connection), data_dir)

    return try_one


def _create(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    from perf_assets.storage.migrations import create  # noqa: PLC0415

    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name.split('.', maxsplit=1)[0]}")
    create(connection, table_of(name))


KINDS = (
    Kind("review_sheets", 80, _review_sheets),
    Kind("label_studio", 60, _label_studio),
    Kind("labelled_questions", 60, _labelled),
    Kind("chosen_keywords", 60, _keywords),
    Kind("published_studies", 30, _published_studies),
    Kind("verdicts", 15, _verdicts),
)
