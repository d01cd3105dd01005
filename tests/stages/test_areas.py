"""Areas as they are stored: with labels and links, and again when the study says them otherwise."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.stages.enrichment.labels import label_cohorts
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.git_repositories import FILE, Made, make
from tests.model_database import insert
from tests.rows import REPOSITORY, changed_file, commit, issue, loads, repository

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

MONTH = "2020-01"
TRACE = 'File "/usr/lib/python3/site-packages/name/core/a.py", line 3, in run'


def study(directory: Path, areas: str = "") -> Study:
    path = directory / "study.toml"
    path.write_text(
        f'name = "mine"\n[[repositories]]\nname = "{REPOSITORY}"\nstart = "{MONTH}"\n'
        f"[repositories.areas]\n{areas}",
        encoding="utf-8",
    )
    return load_study(path)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[AuditedWriter]:
    """Two commits that fix an issue; between them CODEOWNERS changes."""
    data_dir = DataDirectory.of(tmp_path / "data")
    files = {b"name/core/a.py": (FILE, b"")}
    clone = data_dir.clone(REPOSITORY)
    clone.parent.mkdir(parents=True)
    shas = make(
        clone,
        [
            Made({**files, b"CODEOWNERS": (FILE, b"*.py @owner/first")}),
            Made({**files, b"CODEOWNERS": (FILE, b"*.py @owner/second\n/name/io/ @ada")}, [0]),
        ],
    )
    commits = [
        commit(name, f"2020-01-2{day}T00:00:00Z", 1, 0, sha=sha, message="Fixes #1")
        for day, (name, sha) in enumerate(zip("fg", shas, strict=True))
    ]
    changed = [(shas[0], "name/core/a.py"), (shas[1], "name/core/a.py"), (shas[1], "name/io/b.py")]
    with open_warehouse(data_dir.warehouse) as database:
        for table, rows in {
            "meta.repositories": [repository()],
            "meta.partition_loads": loads(MONTH),
            "raw.issues": [issue(1, "2020-01-05T00:00:00Z", labels=["module: x"], body=TRACE)],
            "raw.commits": commits,
            "raw.commit_files": [changed_file("x", path, sha=sha) for sha, path in changed],
        }.items():
            insert(database.connection, table, rows)
        yield AuditedWriter(database, data_dir)


def rows(writer: AuditedWriter, table: str, columns: str) -> list[tuple[object, ...]]:
    return writer.database.frame(f"SELECT {columns} FROM {table} ORDER BY ALL").rows()


def test_files_of_linked_commits_have_the_area_that_the_study_wants(
    writer: AuditedWriter, tmp_path: Path
) -> None:
    by_directory, by_owner = study(tmp_path), study(tmp_path, "codeowners = true")
    for wanted, expected in (
        (
            by_directory,
            [("name/core/a.py", "name/core", "directory")] * 2
            + [("name/io/b.py", "name/io", "directory")],
        ),
        (
            by_owner,
            [
                ("name/core/a.py", "first", "codeowners"),
                ("name/core/a.py", "second", "codeowners"),
                ("name/io/b.py", "name/io", "codeowners"),
            ],
        ),
    ):
        assert all(one.failure is None for one in link_commits(writer, wanted, REPOSITORY, [MONTH]))
        assert rows(writer, "links.fix_areas", "path, area, area_rule") == expected
        assert link_commits(writer, wanted, REPOSITORY, [MONTH]) == []


def test_labels_and_traces_are_read_again_when_the_study_says_areas_otherwise(
    writer: AuditedWriter, tmp_path: Path
) -> None:
    expected = [("name/core", "stack_trace", "name/core/a.py"), ("x", "label", "module: x")]
    for wanted, label_area in (
        (study(tmp_path), "x"),
        (study(tmp_path, 'labels = { "module: x" = "its own" }'), "its own"),
    ):
        label_cohorts(writer, wanted, REPOSITORY, [MONTH])
        found = rows(writer, "labels.area_evidence", "area, area_source, evidence")
        assert found == sorted([expected[0], (label_area, *expected[1][1:])])
        assert label_cohorts(writer, wanted, REPOSITORY, [MONTH]) == []
