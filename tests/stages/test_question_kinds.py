"""Kinds of questions in a warehouse: from a study's file to the table, and only when needed."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.core.questions import classification
from perf_assets.stages.enrichment.question_kinds import (
    LABELLED,
    QUESTION_KINDS,
    WEIGHTS,
    store_question_kinds,
)
from perf_assets.stages.transform.derivation import derive
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.paths import ROOT
from tests.question_examples import FORUM, labelled
from tests.question_rows import question, tag_set

pytestmark = pytest.mark.slow

EXAMPLES = labelled({"program_crash": 12, "installation": 12, "performance": 12})
STUDY = f"""
name = "test"
[[forums]]
name = "{FORUM}"
tags = {{ tensorflow = ["tensorflow"] }}
start = "2020-01"
dump = "dump"
"""


@pytest.fixture
def writer(empty_data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    with open_warehouse(empty_data_dir.warehouse) as database:
        rows = [
            question(number, asked, title=title, text=text)
            for number, asked, title, text in EXAMPLES.select(
                "question_id", "asked_at", "title", "text"
            ).iter_rows()
        ]
        others = [
            question(901, "2020-01-02T00:00:00Z", text="sluggish lagging crawl"),
            question(902, "2020-01-02T00:00:00Z", text="kaboom burst exploding"),
        ]
        insert(database.connection, "raw.questions", [*rows, *others])
        insert(database.connection, "meta.tag_sets", [tag_set()])
        yield AuditedWriter(database, empty_data_dir)


def study(tmp_path: Path, rows: list[tuple[int, str]] | None, before: str = "") -> Study:
    text = before + STUDY
    if rows is not None:
        text += 'labelled = "labelled.csv"\n'
        lines = ["question_id,kind", *(f"{number},{kind}" for number, kind in rows)]
        (tmp_path / "labelled.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    return load_study(tmp_path / "study.toml")


ALL = list(EXAMPLES.select("question_id", "kind").iter_rows())


def decided(writer: AuditedWriter, study: Study, **options: bool) -> list[str]:
    """The tables that were stored; whatever was refused is reported."""
    outcomes = list(store_question_kinds(writer, study, **options))
    assert [outcome.failure for outcome in outcomes if outcome.failure is not None] == []
    return [table for outcome in outcomes for table in outcome.rows]


def assigned(writer: AuditedWriter) -> list[tuple[object, ...]]:
    return writer.database.frame(
        f"select question_id, kind, method from {QUESTION_KINDS} "
        "where is_assigned and question_id > 900 order by all"
    ).rows()


def test_questions_that_nobody_classified_are_decided_by_those_that_people_did(
    writer: AuditedWriter, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert decided(writer, study(tmp_path, ALL)) == [LABELLED, QUESTION_KINDS, WEIGHTS]
    (one, other) = assigned(writer)
    assert (one[:2], other[:2]) == ((901, "performance"), (902, "program_crash"))
    assert f"{FORUM}: {one[2]} decides the kinds of questions (macro F1" in caplog.text
    labelled = writer.database.frame(
        f"select question_id, kind from {QUESTION_KINDS} where is_assigned and method = 'people' "
        "order by all"
    )
    assert labelled.rows() == sorted(ALL)


def test_where_nothing_changed_nothing_is_decided(
    writer: AuditedWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided(writer, study(tmp_path, ALL))
    with monkeypatch.context() as patched:
        patched.setattr(classification, "classify", None)
        assert decided(writer, study(tmp_path, ALL)) == []
    before = writer.database.frame(f"from {QUESTION_KINDS} order by all")
    assert decided(writer, study(tmp_path, ALL), forced=True) == [LABELLED, QUESTION_KINDS, WEIGHTS]
    assert writer.database.frame(f"from {QUESTION_KINDS} order by all").equals(before)
    # Another text, another file, another method: each is decided anew.
    writer.database.connection.execute(
        "update raw.questions set text = 'kaboom' where question_id = 901"
    )
    assert decided(writer, study(tmp_path, ALL)) == [QUESTION_KINDS, WEIGHTS]
    assert assigned(writer)[0][:2] == (901, "program_crash")
    assert decided(writer, study(tmp_path, ALL[1:])) == [LABELLED, QUESTION_KINDS, WEIGHTS]
    for method in ("weights", "regression"):
        decided(writer, study(tmp_path, ALL, f'kind_method = "{method}"\n'))
        assert {row[2] for row in assigned(writer)} == {method}


def test_keywords_that_people_chose_decide_and_the_tables_say_so(
    writer: AuditedWriter, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = 'kind_method = "weights"\n'
    decided(writer, study(tmp_path, ALL, before))
    (tmp_path / "keywords.csv").write_text(
        "kind,keyword\nperformance,sluggish\nperformance,tardy\n", encoding="utf-8"
    )
    path = tmp_path / "study.toml"
    path.write_text(path.read_text("utf-8") + 'keywords = "keywords.csv"\n', encoding="utf-8")
    chosen = load_study(path)
    assert decided(writer, chosen) == [QUESTION_KINDS, WEIGHTS]
    assert decided(writer, chosen) == []
    sets = writer.database.frame(
        f"select distinct keyword_set, split_part(model_version, '-', 2) from {WEIGHTS} "
        "union select distinct null, split_part(model_version, '-', 2) "
        f"from {QUESTION_KINDS} where method = 'weights' order by all"
    ).rows()
    assert sets == [("chosen", "chosen"), (None, "chosen")]
    assert "1 of the chosen keywords are not among the 200 most frequent words" in caplog.text
    assert "the study chose: tardy" in caplog.text


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (None, "no question was classified by people, so kinds are not decided; name a CSV"),
        ([], "no question was classified by people"),
        (ALL[:15], "15 classified questions are too few to decide kinds: at least"),
    ],
)
def test_without_enough_examples_the_table_is_empty_and_the_log_says_how_to_give_some(
    writer: AuditedWriter, tmp_path: Path, caplog: pytest.LogCaptureFixture, rows, complaint: str
) -> None:
    decided(writer, study(tmp_path, ALL))
    caplog.set_level(logging.INFO)
    caplog.clear()
    decided(writer, study(tmp_path, rows))
    assert writer.database.frame(f"from {QUESTION_KINDS}").is_empty()
    labelled = [record.message for record in caplog.records if FORUM in record.message]
    assert len(labelled) == 1
    assert complaint in labelled[0]
    assert "as labelled in [[forums]]" in labelled[0]


def test_classified_questions_that_are_not_loaded_are_counted(
    writer: AuditedWriter, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [*ALL, (5001, "performance"), (5001, "installation"), (5002, "performance")]
    decided(writer, study(tmp_path, rows))
    assert f"{FORUM}: 2 of the labelled questions are not loaded" in caplog.text
    assert writer.database.frame(f"from {LABELLED}").height == len(rows)
    assert writer.database.frame(f"from {QUESTION_KINDS} where question_id > 5000").is_empty()


def test_a_mistake_in_the_file_stops_it_and_leaves_what_was_stored(
    writer: AuditedWriter, tmp_path: Path
) -> None:
    decided(writer, study(tmp_path, ALL))
    with pytest.raises(PerfAssetsError, match=r"labelled.csv, line 38: 'slow' is not a kind"):
        decided(writer, study(tmp_path, [*ALL, (901, "slow")]))
    assert writer.database.frame(f"from {LABELLED}").height == len(ALL)


def test_a_study_without_forums_has_no_kinds(writer: AuditedWriter, tmp_path: Path) -> None:
    decided(writer, study(tmp_path, ALL))
    (tmp_path / "other.toml").write_text(
        'name = "other"\n[[repositories]]\nname = "a/b"\nstart = "2020-01"\n', encoding="utf-8"
    )
    other = load_study(tmp_path / "other.toml")
    assert decided(writer, other) == [LABELLED, QUESTION_KINDS, WEIGHTS]
    assert writer.database.frame(f"from {QUESTION_KINDS}").is_empty()
    assert decided(writer, other) == []


def test_the_quality_of_both_methods_is_derived_from_the_same_examples(
    writer: AuditedWriter, tmp_path: Path
) -> None:
    decided(writer, study(tmp_path, ALL))
    table = "analysis.question_kind_quality"
    views = ("staging.labelled_questions", "intermediate.kind_methods")
    (*_, quality) = derive(writer, (*views, table))
    assert quality.outcome is not None and quality.outcome.failure is None
    chosen = writer.database.frame(f"select distinct method from {table} where is_chosen").item()
    assert chosen == assigned(writer)[0][2]


def test_what_learns_is_imported_only_where_something_is_learned() -> None:
    script = (
        "import sys\n"
        "import perf_assets.stages.enrichment.question_kinds\n"
        "import perf_assets.stages.steps\n"
        "print([name for name in ('sklearn', 'nltk', 'scipy') if name in sys.modules])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert ran.stdout.splitlines()[-1] == "[]"


def test_what_stems_and_learns_takes_nothing_along_that_is_of_no_use() -> None:
    script = (
        "import sys\n"
        "from perf_assets.core.libraries import import_scikit_learn, porter_stemmer\n"
        "assert porter_stemmer().stem('running') == 'run'\n"
        "print('sklearn' in sys.modules)\n"
        "import_scikit_learn()\n"
        "print('pandas' in sys.modules)\n"
        "import pandas\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
