"""Verdicts on questions: read from their sheets, added and never changed, in force by question."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.review_sheets.sheet import ENDORSEMENTS
from perf_assets.stages.reviewing import (
    endorsement_sheet,
    import_sheet,
    sample_sheet,
    tag_set_sheet,
)
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import read_log
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.question_rows import (
    FORUM,
    answer,
    comment,
    performance_question,
    question,
    tag_set,
)
from tests.review_sheets import QUESTION_LINKS, YES, question_sheet, sheet, verdicts_of, written
from tests.rows import issue, label, repository

pytestmark = pytest.mark.slow

SLOW = {**YES, "symptom1": "Time: slow execution time", "root_cause": "API (Not using batch API)"}
LEAK = {**YES, "symptom1": "memory (memory leak)", "symptom2": "Unknown", "root_cause": "Library"}
CRASH = {**SLOW, "kinds": "program crash"}


@pytest.fixture
def data_dir(empty_data_dir: DataDirectory) -> DataDirectory:
    return empty_data_dir


@pytest.fixture
def writer(data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    with open_warehouse(data_dir.warehouse) as database:
        connection = database.connection
        questions = [
            question(n, "2020-01-05", html_url=QUESTION_LINKS[FORUM, n]) for n in range(1, 20)
        ]
        insert(connection, "raw.questions", questions)
        labels = [performance_question(n, is_performance=n < 8) for n in range(1, 20)]
        insert(connection, "labels.performance_questions", labels)
        insert(connection, "meta.tag_sets", [tag_set()])
        insert(connection, "meta.repositories", [repository()])
        insert(connection, "raw.issues", [issue(1, "2020-01-05")])
        insert(connection, "labels.performance_labels", [label(1)])
        yield AuditedWriter(database, data_dir)


def in_force(writer: AuditedWriter, rater: str, *columns: str) -> list[tuple[Any, ...]]:
    query = f"""
        SELECT question_id, problem, {", ".join(columns)} FROM staging.question_verdicts
        WHERE rater = ? ORDER BY ALL
    """
    return writer.database.frame(query, [rater]).rows()


def imported(writer: AuditedWriter, rater: str, *answers: dict[str, str]) -> tuple[int, int, int]:
    path = writer.data_dir.path / "sheet.csv"
    path.write_text(question_sheet(*answers), encoding="utf-8")
    found = import_sheet(writer, path, rater)
    return found.added, found.superseding, found.unchanged


def test_answers_are_read_in_the_words_of_the_codebooks() -> None:
    kinds = {"kinds": "Performance |installation", "challenge": "gpu computation"}
    stages = {"introducing_stage": "env", "exposing_stage": "training", "note": " see #4 "}
    first, second, other = verdicts_of(
        question_sheet(
            {**SLOW, **kinds, **stages}, {**LEAK, "question_id": "1"}, {"is_performance": "no"}
        )
    )
    assert first == {
        "forum": FORUM,
        "question_id": 1,
        "problem": 1,
        "verdict": "yes",
        "kinds": ["installation", "performance"],
        "symptom_1_category": "Time",
        "symptom_1_subcategory": "Slow execution time",
        "symptom_2_category": None,
        "symptom_2_subcategory": None,
        "cause_category": "API",
        "cause_subcategory": "Not using batch API",
        "introducing_stage": "Environment setting",
        "exposing_stage": "Training",
        "challenge": "GPU computation",
        "note": "see #4",
        "line": 2,
    }
    assert (second["problem"], second["kinds"]) == (2, ["installation", "performance"])
    assert second["symptom_2_category"] == "Unknown"
    assert (second["cause_category"], second["cause_subcategory"]) == ("Library", None)
    assert (other["question_id"], other["verdict"], other["kinds"]) == (3, "no", [])


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([{**YES, "kinds": "instalation"}], "line 2, column kinds: 'instalation' is unknown; did "),
        ([{**YES, "root_cause": "Time"}], "line 2, column root_cause: 'Time' is unknown; did you "),
        ([{"kinds": "installation"}], "line 2, column is_performance: is empty although kinds is"),
        ([{**SLOW, "is_performance": "no"}], "column symptom1: is only for performance problems"),
        ([{**YES, "symptom2": "Memory"}], "column symptom2: is only for a second symptom"),
        (
            [{**YES, "symptom1": "Memory", "symptom2": "memory"}],
            "column symptom2: is only for a second symptom",
        ),
        ([SLOW, {**SLOW, "question_id": "1"}], "line 3, column symptom1: no problem other than"),
        ([SLOW, {**YES, "question_id": "1"}], "line 3, column symptom1: no problem other than"),
        (
            [SLOW, {"is_performance": "no", "question_id": "1"}],
            "line 3, column is_performance: #1 is judged in line 2 already",
        ),
        (
            [{"is_performance": "no"}, {**SLOW, "question_id": "1"}],
            "line 3, column is_performance: #1 is judged in line 2 already",
        ),
        (
            [CRASH, {**LEAK, "question_id": "1", "kinds": "installation"}],
            "line 3, column kinds: are others than those of the same question in line 2",
        ),
        (
            [{**YES, "link": "https://elsewhere"}],
            "column link: is not that of stackoverflow#1",
        ),
        (
            [{**YES, "forum": "ai"}],
            "column question_id: ai#1 is not a stored question",
        ),
    ],
)
def test_a_mistake_is_named_where_it_stands(answers: list[dict[str, str]], words: str) -> None:
    with pytest.raises(PerfAssetsError) as refusal:
        verdicts_of(question_sheet(*answers))
    assert words in str(refusal.value)
    assert str(refusal.value).endswith("nothing was imported")


def test_verdicts_are_added_and_the_last_sheet_with_a_question_is_in_force(
    writer: AuditedWriter,
) -> None:
    no = {"is_performance": "no"}
    two = [SLOW, {**LEAK, "question_id": "1"}]
    columns = ("verdict", "symptom_1_category")
    assert imported(writer, "Ann", *two, {**no, "question_id": "2"}) == (2, 0, 0)
    assert in_force(writer, "Ann", *columns) == [
        (1, 1, "yes", "Time"),
        (1, 2, "yes", "Memory"),
        (2, 1, "no", None),
    ]
    assert imported(writer, "Bob", SLOW, no) == (2, 0, 0)
    # One problem less is another opinion, on that question alone.
    assert imported(writer, "Ann", SLOW, {**no, "question_id": "2"}) == (0, 1, 1)
    assert in_force(writer, "Ann", *columns) == [(1, 1, "yes", "Time"), (2, 1, "no", None)]
    # The first sheet by mistake again, and then its opinion on purpose.
    assert imported(writer, "Ann", *two, {**no, "question_id": "2"}) == (0, 0, 2)
    assert imported(writer, "Ann", *two) == (0, 1, 0)
    assert len(in_force(writer, "Ann", *columns)) == 3
    stored = writer.database.frame("FROM reviews.question_verdicts ORDER BY verdict_id")
    assert stored["verdict_id"].to_list() == list(range(1, 9))
    assert writer.database.frame("FROM reviews.verdicts").is_empty()


def test_other_kinds_are_another_opinion(writer: AuditedWriter) -> None:
    assert imported(writer, "Ann", {**YES, "kinds": "performance"}) == (1, 0, 0)
    again = {**YES, "kinds": "performance|installation"}
    assert imported(writer, "Ann", again) == (0, 1, 0)
    assert imported(writer, "Ann", {**again, "kinds": "installation | performance"}) == (0, 0, 1)
    assert in_force(writer, "Ann", "kinds") == [(1, 1, ["installation", "performance"])]


def test_the_header_says_what_a_sheet_is_about(writer: AuditedWriter) -> None:
    path = writer.data_dir.path / "bugs.csv"
    path.write_text(sheet(YES), encoding="utf-8")
    assert import_sheet(writer, path, "Ann").added == 1
    assert imported(writer, "Ann", YES) == (1, 0, 0)
    for table in ("verdicts", "question_verdicts"):
        assert writer.database.frame(f"FROM reviews.{table}").height == 1


def test_kinds_that_most_raters_gave_are_learned_from(writer: AuditedWriter) -> None:
    both = {**YES, "kinds": "performance | installation"}
    imported(writer, "Ann", both, {**YES, "question_id": "2", "kinds": "comprehension"})
    imported(writer, "Bob", {**YES, "kinds": "performance"}, {**YES, "question_id": "3"})
    query = "SELECT question_id, kind FROM staging.labelled_questions ORDER BY ALL"
    assert writer.database.frame(query).rows() == [(1, "performance"), (2, "comprehension")]


def test_what_an_older_version_published_has_no_questions_to_draw_from(tmp_path: Path) -> None:
    published = tmp_path / "perf_bugs.duckdb"
    duckdb.connect(str(published)).close()
    with pytest.raises(PerfAssetsError, match="by an older perf-assets without questions"):
        sample_sheet(published, 1, 1, 1, FORUM)


def test_a_sample_of_a_forum_has_questions_with_and_without_stems(
    data_dir: DataDirectory, writer: AuditedWriter
) -> None:
    writer.database.connection.close()

    text = sample_sheet(data_dir.warehouse, 3, 2, 1, FORUM)
    rows = list(csv.DictReader(io.StringIO(text)))
    with duckdb.connect(str(data_dir.warehouse), read_only=True) as connection:
        query = "select question_id from labels.performance_questions where is_performance"
        found = {str(number) for (number,) in connection.execute(query).fetchall()}
    assert sorted(row["question_id"] in found for row in rows) == [False] * 2 + [True] * 3
    assert {"stems", "matched_in"}.isdisjoint(rows[0])  # raters do not see what the stems find
    assert sample_sheet(data_dir.warehouse, 3, 2, 1, FORUM) == text
    assert verdicts_of(text) == []
    with pytest.raises(PerfAssetsError, match="has no questions of it; choose from stackoverflow"):
        sample_sheet(data_dir.warehouse, 3, 2, 1, "ai")
    with pytest.raises(
        PerfAssetsError, match=r"--n 8: .* has only 7 labelled performance questions"
    ):
        sample_sheet(data_dir.warehouse, 8, 2, 1, FORUM)


def test_a_sheet_has_the_accepted_answer_or_the_one_that_the_asker_endorses(
    data_dir: DataDirectory, writer: AuditedWriter
) -> None:
    connection = writer.database.connection
    connection.execute("update raw.questions set accepted_answer_id = 101 where question_id = 1")
    given = "2020-01-06T00:00:00Z"
    insert(
        connection,
        "raw.answers",
        [
            answer(101, 1, given, body_html="<p>Use &lt;batches&gt;</p><pre>f(x)</pre>"),
            answer(102, 1, given, body_html="<p>Do not</p>"),
            answer(103, 2, given, body_html="<p>Endorsed</p>"),
            answer(104, 3, given, body_html="<p>Neither</p>"),
        ],
    )
    thanks = [comment(50, 1, 102, "Thanks"), comment(51, 2, 103, "Thanks, that worked")]
    insert(connection, "raw.question_comments", thanks)
    connection.close()
    rows = csv.DictReader(io.StringIO(sample_sheet(data_dir.warehouse, 7, 12, 1, FORUM)))
    answers = {row["question_id"]: row["answer"] for row in rows if row["answer"]}
    assert answers.keys() == {"1", "2"}
    assert answers["2"] == "Endorsed"
    assert answers["1"].startswith("Use <batches>") and answers["1"].endswith("f(x)")


def test_comments_that_endorse_an_answer_are_judged(
    data_dir: DataDirectory, writer: AuditedWriter
) -> None:
    connection = writer.database.connection
    connection.execute("update raw.questions set accepted_answer_id = 103 where question_id = 3")
    answers = [
        answer(100 + n, n, "2020-01-06T00:00:00Z", body_html=f"<p>{n}</p>") for n in (1, 2, 3)
    ]
    insert(connection, "raw.answers", answers)
    bodies = ("Thanks", "Thanks, that worked", "Thank you")
    given = [comment(50 + n, n, 100 + n, body) for n, body in enumerate(bodies, start=1)]
    insert(connection, "raw.question_comments", given)
    connection.execute("CHECKPOINT")
    publish(data_dir)
    text, number = endorsement_sheet(data_dir.published, FORUM, 10, 1)
    rows = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: row["comment_id"])
    # Where an answer is accepted, nobody needs to know which one is endorsed.
    assert number == len(rows) == 2
    columns = ("comment_id", "link", "answer", "comment", "endorsement", "matched_words")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("51", QUESTION_LINKS[FORUM, 1], "1", "Thanks", "gratitude", "thanks"),
        ("52", QUESTION_LINKS[FORUM, 2], "2", "Thanks, that worked", "success", "that worked"),
    ]

    def imported(rater: str, *verdicts: str) -> tuple[int, int, int]:
        judged = [{**row, "verdict": word} for row, word in zip(rows, verdicts, strict=True)]
        path = data_dir.path / "sheet.csv"
        path.write_text(written(judged, form=ENDORSEMENTS), encoding="utf-8")
        found = import_sheet(writer, path, rater)
        return found.added, found.superseding, found.unchanged

    assert imported("Ann", "wrong", "right") == (2, 0, 0)
    assert imported("Ann", "Right", "right") == (0, 1, 1)
    assert imported("Bob", "", "unsure") == (1, 0, 0)
    kept = read_log(data_dir.verdicts).rows["reviews.endorsement_verdicts"]
    assert kept["verdict"].to_list() == ["wrong", "right", "right", "unsure"]
    for change, words in (
        (
            {"verdict": "yes"},
            "line 2, column verdict: 'yes' is unknown; write right, wrong or unsure",
        ),
        ({"comment_id": "53"}, "column link: is not that of stackoverflow#53"),
        ({"comment_id": "9"}, "stackoverflow#9 is not a stored endorsing comment"),
        ({"verdict": "", "note": "?"}, "column verdict: is empty although note is filled in"),
    ):
        rows[0] |= {"verdict": "right", "comment_id": "51", "note": ""} | change
        with pytest.raises(PerfAssetsError, match=words):
            imported("Cid", rows[0]["verdict"], "")
    with pytest.raises(PerfAssetsError, match="--n 0 gives no sample"):
        endorsement_sheet(data_dir.published, FORUM, 0, 1)
    with pytest.raises(PerfAssetsError, match=r"--forum ai: .* has no endorsements of it; choose"):
        endorsement_sheet(data_dir.published, "ai", 5, 1)


def test_a_sheet_of_tag_sets_has_so_many_questions_of_each(
    data_dir: DataDirectory, writer: AuditedWriter
) -> None:
    writer.database.connection.execute(
        "update raw.questions set tag_set = 'pytorch' where question_id > 16"
    )
    writer.database.connection.close()
    text, number = tag_set_sheet(data_dir.warehouse, FORUM, 5, 1)
    drawn = [int(row["question_id"]) for row in csv.DictReader(io.StringIO(text))]
    assert number == len(drawn) == 5 + 3
    assert sum(question_id > 16 for question_id in drawn) == 3
    with pytest.raises(PerfAssetsError, match="--n 0 gives no sample"):
        tag_set_sheet(data_dir.warehouse, FORUM, 0, 1)
    with pytest.raises(PerfAssetsError, match=r"--forum ai: .* has no questions of it; choose"):
        tag_set_sheet(data_dir.warehouse, "ai", 5, 1)


def test_a_root_cause_of_the_former_codebook_is_read_as_the_one_of_the_study_and_reported(
    writer: AuditedWriter,
) -> None:
    answers = ({**YES, "challenge": "static  graphs"}, {**YES, "challenge": "API misuse"})
    path = writer.data_dir.path / "sheet.csv"
    path.write_text(question_sheet(*answers), encoding="utf-8")
    found = import_sheet(writer, path, "Ann")
    (remark,) = found.remarks
    assert remark == "'static graphs' of an older codebook was read as 'Static graph computation'"
    assert in_force(writer, "Ann", "challenge") == [
        (1, 1, "Static graph computation"),
        (2, 1, "API misuse"),
    ]
    # Verdicts that were stored with the older name.
    writer.database.connection.execute(
        "update reviews.question_verdicts set challenge = 'Hyperparameters' where question_id = 2"
    )
    assert (2, 1, "Incorrect hyperparameter selection") in in_force(writer, "Ann", "challenge")


def test_a_sheet_of_before_there_were_answers_is_read(writer: AuditedWriter) -> None:
    rows = list(csv.DictReader(io.StringIO(question_sheet(YES))))
    text = io.StringIO(newline="")
    names = [name for name in rows[0] if name != "answer"]
    older = csv.DictWriter(text, names, extrasaction="ignore")
    older.writeheader()
    older.writerows(rows)
    path = writer.data_dir.path / "older.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    assert import_sheet(writer, path, "Ann").added == 1


def test_a_kind_of_crash_is_a_program_crash_and_none_to_learn(writer: AuditedWriter) -> None:
    given = "Shape inconsistency | performance | CPU/GPU incompatibility"
    imported(writer, "Ann", {**YES, "kinds": given})
    kinds = ["program_crash", "performance", "shape_inconsistency", "cpu_gpu_incompatibility"]
    assert in_force(writer, "Ann", "kinds") == [(1, 1, kinds)]
    query = "SELECT kind FROM staging.labelled_questions ORDER BY ALL"
    assert writer.database.frame(query).rows() == [("performance",), ("program_crash",)]
