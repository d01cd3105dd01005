"""Reviews by way of Label Studio: a sample as tasks, and their verdicts in the store."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.stages.reviewing import import_sheet, sample_sheet, sample_tasks
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.label_studio_exports import exported, exported_flat
from tests.model_database import insert
from tests.review_sheets import YES, written
from tests.rows import UNFIXED, at, bug_metrics, issue, label, repository
from tests.support import perf_assets

pytestmark = pytest.mark.slow

NO = {"is_performance": "no", "note": "a crash"}
CAUSE = {**YES, "category": "Inefficient caching", "impact": "speed"}
ANSWERS = (CAUSE, NO, {}, {"is_performance": "unsure"}, YES)


@pytest.fixture
def data_dir(empty_data_dir: DataDirectory) -> DataDirectory:
    with open_warehouse(empty_data_dir.warehouse) as database:
        insert(database.connection, "meta.repositories", [repository()])
        issues = [
            issue(n, "2020-01-05", body=f"<i>{n}</i>" if n > 1 else None) for n in range(1, 9)
        ]
        insert(database.connection, "raw.issues", issues)
        labels = [label(n, is_performance=n < 5) for n in range(1, 9)]
        insert(database.connection, "labels.performance_labels", labels)
    return empty_data_dir


@pytest.fixture
def writer(data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    with open_warehouse(data_dir.warehouse) as database:
        yield AuditedWriter(database, data_dir)


def tasks_and_sheet(data_dir: DataDirectory) -> tuple[list[Any], list[dict[str, str]]]:
    """The same sample as tasks and as rows of a sheet."""
    drawn = (data_dir.warehouse, 3, 2, 5)
    rows = csv.DictReader(io.StringIO(sample_sheet(*drawn)))
    return json.loads(sample_tasks(*drawn)), list(rows)


def stored(database: Database) -> pl.DataFrame:
    return database.frame("SELECT * FROM reviews.verdicts ORDER BY verdict_id")


def test_a_seed_draws_the_same_sample_as_a_sheet_with_the_texts(data_dir: DataDirectory) -> None:
    tasks, rows = tasks_and_sheet(data_dir)
    data = [task["data"] for task in tasks]
    same = ("repository", "title", "link", "codebook")
    assert [{key: one[key] for key in same} for one in data] == [
        {key: row[key] for key in same} for row in rows
    ]
    assert [str(one["number"]) for one in data] == [row["number"] for row in rows]
    bodies = {one["number"]: one["body"] for one in data}
    assert bodies == {number: f"<i>{number}</i>" if number > 1 else "" for number in bodies}


def test_a_sample_of_fixed_bugs_leaves_out_the_others(data_dir: DataDirectory) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        about = {"month": "2020-02", "opened_at": at(5), "closed_at": at(7), "reopenings": 0}
        metrics = [
            bug_metrics(n, is_performance=n < 5, **about, **({} if n in (2, 3, 7) else UNFIXED))
            for n in range(1, 9)
        ]
        insert(database.connection, "marts.bug_metrics", metrics)
    tasks = json.loads(sample_tasks(data_dir.warehouse, 2, 0, 5, is_of_fixed=True))
    assert sorted(task["data"]["number"] for task in tasks) == [2, 3]
    rows = csv.DictReader(io.StringIO(sample_sheet(data_dir.warehouse, 2, 0, 5, is_of_fixed=True)))
    assert sorted(row["number"] for row in rows) == ["2", "3"]
    with pytest.raises(PerfAssetsError, match="has only 2 fixed performance bugs"):
        sample_sheet(data_dir.warehouse, 3, 0, 5, is_of_fixed=True)


@pytest.mark.parametrize("export", [exported, exported_flat])
def test_an_export_is_stored_as_a_sheet_is(
    data_dir: DataDirectory, tmp_path: Path, export: Any
) -> None:
    tasks, rows = tasks_and_sheet(data_dir)
    path, again, table = tmp_path / "a.json", tmp_path / "b.txt", tmp_path / "sheet.csv"
    path.write_text(json.dumps(export(tasks, *ANSWERS)), encoding="utf-8")
    answered = [{**row, **answer} for row, answer in zip(rows, ANSWERS, strict=True)]
    table.write_text(written(answered), encoding="utf-8")
    with open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        assert import_sheet(writer, path, "Ann").added == 4
        assert import_sheet(writer, path, "Ann").imported_before is not None
        assert import_sheet(writer, table, "Ann").unchanged == 4
        assert import_sheet(writer, table, "Bob").added == 4
        log = stored(database).drop("verdict_id", "imported_at", "file", "file_sha256")
        of_ann, of_bob = (log.filter(rater=name).drop("rater") for name in ("Ann", "Bob"))
        assert of_ann.equals(of_bob)
        # Another opinion, in a file of any name.
        again.write_text(json.dumps(export(tasks, YES, *ANSWERS[1:])), encoding="utf-8")
        found = import_sheet(writer, again, "Ann")
        assert (found.added, found.superseding, found.unchanged) == (0, 1, 3)


def test_an_export_with_one_mistake_leaves_everything_as_it_was(
    writer: AuditedWriter, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    links = "SELECT repository, number, html_url AS link FROM raw.issues ORDER BY number LIMIT 2"
    tasks = [{"data": row} for row in writer.database.frame(links).to_dicts()]
    path.write_text(json.dumps(exported(tasks, YES, {**YES, "impact": "sped"})))
    with pytest.raises(PerfAssetsError, match="task 2, key impact: 'sped' is unknown; write"):
        import_sheet(writer, path, "Ann")
    assert stored(writer.database).is_empty()


def test_tasks_and_their_configuration_are_written_side_by_side(data_dir: DataDirectory) -> None:
    data_dir.warehouse.rename(data_dir.published)
    sample = ("review", "sample", "--n", "3", "--seed", "5", "--data-dir", data_dir.path)
    ran = perf_assets(*sample, "--unlabelled", "2", "--label-studio")
    assert ran.returncode == 0, ran.stderr
    path, configuration = (data_dir.path / f"review-3-5.{end}" for end in ("json", "xml"))
    assert f"{path}: 5 bug reports to judge" in ran.stdout and str(configuration) in ran.stdout
    first = path.read_bytes()
    assert len(json.loads(first)) == 5 and first.startswith(b"[")
    assert ElementTree.parse(configuration).getroot().tag == "View"
    # The same again changes nothing; what another one would replace stays.
    assert perf_assets(*sample, "--unlabelled", "2", "--label-studio").returncode == 0
    refused = perf_assets(*sample, "--label-studio")
    assert refused.returncode == 2 and "exists and may hold verdicts" in refused.stderr
    assert path.read_bytes() == first
    configuration.write_text("<View/>")
    assert perf_assets(*sample, "--unlabelled", "2", "--label-studio").returncode == 2
    assert configuration.read_text() == "<View/>"
    refused = perf_assets(*sample, "--label-studio", "--output", data_dir.path / "a.XML")
    assert refused.returncode == 2 and "choose one that ends with .json" in refused.stderr
    for options in (
        ("--findings",),
        ("--forum", "a"),
        ("--forum", "a", "--endorsements"),
        ("--forum", "a", "--tag-sets"),
    ):
        refused = perf_assets(*sample, "--label-studio", *options)
        assert refused.returncode == 2
        assert "--label-studio is for bug reports alone" in refused.stderr
