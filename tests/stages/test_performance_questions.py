"""The decision on questions of a forum: which are about performance, kept as they change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.forums import TagSet
from perf_assets.stages.enrichment.performance_questions import label_performance_questions
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.question_rows import FORUM, TAG_SET, question
from tests.rows import load

pytestmark = pytest.mark.slow

TENSORFLOW = TagSet(
    name=f"{FORUM}:{TAG_SET}", start="2020-01", forum=FORUM, label=TAG_SET, tags=(TAG_SET,)
)
MONTHS = ["2020-01", "2020-02", "2020-03"]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[AuditedWriter]:
    data_dir = DataDirectory.of(tmp_path)
    with open_warehouse(data_dir.warehouse) as database:
        rows = [
            question(1, "2020-01-05", text="It hangs"),
            question(2, "2020-01-05", text="It crashes"),
            question(3, "2020-02-05", text="memory leak"),
            question(4, "2020-02-05", text="slower", tag_set="torch"),
        ]
        insert(database.connection, "raw.questions", rows)
        loads = [load(month, "raw.questions", repository=TENSORFLOW.name) for month in MONTHS]
        insert(database.connection, "meta.partition_loads", loads)
        yield AuditedWriter(database, data_dir)


def decided(writer: AuditedWriter) -> dict[int, bool]:
    table = writer.database.frame("FROM labels.performance_questions")
    return dict(table.select("question_id", "is_performance").iter_rows())


def test_the_questions_of_the_tag_set_are_decided(writer: AuditedWriter) -> None:
    outcomes = label_performance_questions(writer, TENSORFLOW, MONTHS)
    assert [(one.month, one.failure) for one in outcomes] == [(month, None) for month in MONTHS]
    assert decided(writer) == {1: True, 2: False, 3: True}
    loads = writer.database.loads("labels.performance_questions", TENSORFLOW.name)
    assert loads["row_count"].to_list() == [2, 1, 0]


def test_what_did_not_change_is_not_decided_again(writer: AuditedWriter) -> None:
    label_performance_questions(writer, TENSORFLOW, MONTHS)
    assert label_performance_questions(writer, TENSORFLOW, MONTHS) == []
    assert len(label_performance_questions(writer, TENSORFLOW, MONTHS, forced=True)) == 3
    writer.database.connection.execute(
        "UPDATE raw.questions SET text = 'very slow' WHERE question_id = 2"
    )
    outcomes = label_performance_questions(writer, TENSORFLOW, MONTHS)
    assert [one.month for one in outcomes if one.is_written] == ["2020-01"]
    assert decided(writer) == {1: True, 2: True, 3: True}


def test_only_the_months_requested_are_decided(writer: AuditedWriter) -> None:
    label_performance_questions(writer, TENSORFLOW, ["2020-02"])
    assert decided(writer) == {3: True}
    label_performance_questions(writer, TENSORFLOW, MONTHS)
    assert decided(writer) == {1: True, 2: False, 3: True}
    writer.database.connection.execute("DELETE FROM raw.questions WHERE question_id = 2")
    label_performance_questions(writer, TENSORFLOW, MONTHS)
    assert decided(writer) == {1: True, 3: True}
