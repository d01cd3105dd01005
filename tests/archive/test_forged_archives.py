"""Archives that somebody changed on purpose, and disks and names that are not help."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import duckdb
import polars as pl
import pytest
from filelock import FileLock

from perf_assets.archive.checking import check_archive
from perf_assets.archive.comparing import compare
from perf_assets.archive.defined import compare_definitions
from perf_assets.archive.findings import Check
from perf_assets.archive.given import compare_bookkeeping, compare_database, lay_tables
from perf_assets.archive.manifest import (
    DATABASE,
    LOCK,
    MANIFEST,
    REPORT,
    STUDY,
    read_manifest,
)
from perf_assets.archive.work_folder import folder_beside, temporary_folder
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.storage.warehouse import reading
from tests.archive.forging import Files, files_of, forged, with_manifest, with_rules
from tests.support import perf_assets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

LABELS = "tables/labels.performance_labels.parquet"


@pytest.fixture(scope="module")
def files(archive: Path) -> Files:
    return files_of(archive)


def given(files: Files, folder: Path) -> dict[str, tuple[str, ...]]:
    """What is found of files by holding them against each other alone, by subject."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    check = Check(read_manifest(files[MANIFEST], "forged"))
    compare_database(folder, check)
    home = DataDirectory(folder)
    lay_tables(folder, home, check.manifest.warehouse_format)
    with reading(home.warehouse) as connection:
        compare_bookkeeping(connection, folder, load_study(folder / STUDY), check)
    return {one.subject: one.details for one in check.findings if one.state != "equal"}


def of_labels(files: Files, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Files:
    written = BytesIO()
    change(pl.read_parquet(BytesIO(files[LABELS]))).write_parquet(written)
    return {**files, LABELS: written.getvalue()}


def of_database(files: Files, folder: Path, statement: str) -> Files:
    path = folder / "changed.duckdb"
    path.write_bytes(files[DATABASE])
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)
    return {**files, DATABASE: path.read_bytes()}


@pytest.mark.parametrize(
    "name", [DATABASE, LOCK, REPORT, "report/index.html", "tables/raw.issues.parquet"]
)
def test_a_file_that_is_missing_is_named(files: Files, tmp_path: Path, name: str) -> None:
    left = {path: content for path, content in files.items() if path != name}
    check = check_archive(forged(tmp_path / "forged.zip", left))
    assert [one.details for one in check.findings if one.state == "differs"] == [
        (f"{name} is missing",)
    ]


def test_a_table_that_is_not_parquet_is_named(files: Files, tmp_path: Path) -> None:
    check = check_archive(forged(tmp_path / "forged.zip", {**files, LABELS: b"hello"}))
    assert not check.is_equal
    assert (f"{LABELS} cannot be read",) in [one.details for one in check.findings]


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.drop("is_performance"),
        lambda rows: rows.with_columns(pl.col("number").cast(pl.String)),
        lambda rows: rows.select(pl.lit(1).alias("a")),
        lambda rows: rows.with_columns(more=1),
    ],
)
def test_other_columns_are_named(
    files: Files, tmp_path: Path, change: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    found = given(of_labels(files, change), tmp_path)
    assert found == {
        DATABASE: ("labels.performance_labels has other columns than in tables/",),
    }


def test_numbers_of_rows_are_those_that_the_manifest_says(files: Files, tmp_path: Path) -> None:
    manifest = json.loads(files[MANIFEST])
    manifest["rows"]["raw.issues"] = 7
    found = given({**files, MANIFEST: json.dumps(manifest).encode()}, tmp_path)
    assert "and archive.json says 7" in found[DATABASE][0]


def test_another_study_is_named_and_what_nobody_can_decide_again(
    files: Files, tmp_path: Path
) -> None:
    study = files[STUDY].decode()
    repository = study.partition('[[repositories]]\nname = "')[2].partition('"')[0]
    found = given(
        {**files, STUDY: study.replace(f'"{repository}"', '"no/body"').encode()}, tmp_path
    )
    assert "no/body in study/study.toml" in found["study and what meta.about says of it"][-1]
    assert "the study has it no more" in found[f"labels and links of {repository}"][0]


@pytest.mark.exhaustive
def test_views_that_say_something_else_are_named(files: Files, tmp_path: Path) -> None:
    statement = "CREATE OR REPLACE VIEW staging.accounts AS SELECT 1 AS nothing"
    check = check_archive(forged(tmp_path / "forged.zip", of_database(files, tmp_path, statement)))
    changed = [one.details for one in check.findings if one.subject == "views and macros"]
    assert changed == [("view staging.accounts is not as this version declares it",)]


@pytest.mark.exhaustive
def test_labels_of_months_that_nobody_read_are_found(files: Files, tmp_path: Path) -> None:
    statement = "UPDATE labels.performance_labels SET number = 900000 + number WHERE number = 2"
    changed = of_database(files, tmp_path, statement)
    changed = of_labels(
        changed,
        lambda rows: rows.with_columns(
            number=pl.when(number=2).then(900_002).otherwise("number").cast(pl.Int64)
        ),
    )
    check = check_archive(forged(tmp_path / "forged.zip", changed))
    (found,) = (one for one in check.findings if one.subject == "labels.performance_labels")
    assert "number 900002: only in the first" in "; ".join(found.details)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (DATABASE, b"hello", "not a valid DuckDB database"),
        (LOCK, b"\xff", "can't decode"),
        (STUDY, b"x =", "not valid TOML"),
        (
            STUDY,
            b"name = 's'\n[[repositories]]\ngit = 'ext::sh -c id'\nname = 'a/b'\nstart = '2020-01'",
            "git",
        ),
    ],
)
def test_what_cannot_be_read_is_named_by_its_place_in_the_archive(
    files: Files, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = forged(tmp_path / "forged.zip", {**files, name: content})
    ran = perf_assets("check-archive", path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"Error: {path}: ")
    assert words in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


def test_only_whole_archives_are_compared(files: Files, archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name, content in {**files, LABELS: files[LABELS] + b"x"}.items():
            made.writestr(name, content)
    with pytest.raises(PerfAssetsError, match=f"{LABELS} is not what was archived"):
        compare(archive, path)


def test_a_pipe_and_a_file_in_place_of_a_folder_are_skipped(
    home: DataDirectory, study: Study, tmp_path: Path
) -> None:
    own = ("--data-dir", home.path, "--study", study.path)
    os.mkfifo(tmp_path / "pipe")
    ran = perf_assets("archive", tmp_path / "pipe", *own)
    assert (ran.returncode, "is not an archive" in ran.stderr) == (2, True)
    (tmp_path / "file").touch()
    ran = perf_assets("archive", tmp_path / "file" / "a.zip", *own)
    assert (ran.returncode, "file is not a directory" in ran.stderr) == (2, True)
    ran = perf_assets("archive", tmp_path / f"{'a' * 300}.zip", *own)
    assert (ran.returncode, "choose another name" in ran.stderr) == (2, True)


@pytest.mark.parametrize("name", ["home", "none.ZIP", "no/such"])
def test_what_is_not_a_month_is_taken_for_an_archive(tmp_path: Path, name: str) -> None:
    (tmp_path / "home").mkdir()
    ran = perf_assets("run", "--from", tmp_path / name, "--data-dir", tmp_path / "new")
    assert ran.returncode == 2
    assert "zip file" in ran.stderr


def test_a_folder_beside_a_file_has_one_process_and_begins_empty(tmp_path: Path) -> None:
    path = tmp_path / f"{'a' * 240}.zip"
    with folder_beside(path) as work:
        (work / "left").touch()
        with pytest.raises(PerfAssetsError, match="is being written by another"):
            folder_beside(path).__enter__()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_what_lives_is_not(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path;"
        "from perf_assets.archive.work_folder import *;"
        f"folder = Path({str(tmp_path)!r});"
        "one = folder_beside(folder / 'a.zip'); beside = one.__enter__();"
        "other = temporary_folder(folder); there = other.__enter__();"
        "(beside / 'x').touch(); (there / 'x').touch();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], check=False, cwd=Path.cwd())
    assert len(list(tmp_path.iterdir())) == 2
    with temporary_folder(tmp_path) as alive, temporary_folder(tmp_path) as other:
        assert alive.exists()
        assert {one.name for one in tmp_path.iterdir()} == {
            ".a.zip.making",
            alive.name,
            other.name,
        }
    with folder_beside(tmp_path / "a.zip") as work:
        assert list(work.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    # They are known by a lock that this program lays into them.
    theirs = tmp_path / "perf-assets-archive-mine"
    theirs.mkdir()
    (theirs / "notes.txt").touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    FileLock(elsewhere / "lock").acquire()
    (tmp_path / "perf-assets-archive-link").symlink_to(elsewhere)
    with temporary_folder(tmp_path):
        pass
    assert (theirs / "notes.txt").exists()
    assert elsewhere.exists()


def test_what_an_archive_says_of_itself_reaches_no_terminal_raw(
    files: Files, tmp_path: Path
) -> None:
    strange = with_manifest(files, study="x\x1b]0;title\x07", perf_assets="0\x1b[2J")
    ran = perf_assets("check-archive", forged(tmp_path / "forged.zip", strange))
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "made by perf-assets" in ran.stdout


def test_an_archive_that_says_no_versions_of_rules_is_held_against_its_wheel(
    files: Files, tmp_path: Path
) -> None:
    strange = {**files, "tables/raw.other.parquet": files[LABELS]}
    path = forged(tmp_path / "forged.zip", with_manifest(strange, rules={}))
    ran = perf_assets("check-archive", path)
    assert (ran.returncode, "Traceback" in ran.stderr) == (1, False)
    assert "raw.other is not as in tables/" in ran.stdout


def test_a_lock_that_is_not_a_list_of_versions_is_named(files: Files, tmp_path: Path) -> None:
    lock = files[LOCK] + b"--index-url https://example.org/simple\n"
    ran = perf_assets("check-archive", forged(tmp_path / "forged.zip", {**files, LOCK: lock}))
    assert ran.returncode == 1
    assert "'--index-url https://example.org/simple' is not a version of a library" in ran.stdout


def test_a_study_that_is_not_packaged_is_not_read_from_this_machine(
    files: Files, tmp_path: Path
) -> None:
    strange = with_manifest(files, study=str(tmp_path / "study"), packaged=True)
    path = forged(tmp_path / "forged.zip", strange)
    ran = perf_assets("run", "--from", path, "--data-dir", tmp_path / "new")
    assert ran.returncode == 2
    assert "name a study file with --study" in ran.stderr


class TestAnotherVersion:
    """An archive that another version made is held against the models in its wheel."""

    @pytest.fixture
    def content(self, files: Files, tmp_path: Path) -> Path:
        content = tmp_path / "content"
        for name, file in files.items():
            (content / name).parent.mkdir(parents=True, exist_ok=True)
            (content / name).write_bytes(file)
        return content

    def check(self, files: Files, content: Path) -> Check:
        check = Check(read_manifest(with_rules(files, code="another")[MANIFEST], "forged"))
        compare_definitions(content, compare_database(content, check), check)
        return check

    def test_is_equal_where_its_wheel_declares_what_its_database_defines(
        self, files: Files, content: Path
    ) -> None:
        assert self.check(files, content).is_equal

    def test_a_view_that_its_wheel_does_not_declare_is_named(
        self, files: Files, content: Path
    ) -> None:
        with duckdb.connect(str(content / DATABASE)) as connection:
            connection.execute("CREATE OR REPLACE VIEW staging.accounts AS SELECT 1 AS nothing")
        check = self.check(files, content)
        (found,) = (one for one in check.findings if one.state == "differs")
        assert found.details == ("view staging.accounts is not as its wheel declares it",)
        assert check.notes == ["Defined otherwise than by this version: view staging.accounts."]

    def test_a_model_of_its_wheel_that_its_rules_do_not_have_is_named(
        self, files: Files, content: Path
    ) -> None:
        model = "perf_assets/_project/dbt_like_models/staging/accounts.sql"
        wheel = next((content / "software").glob("*.whl"))
        with zipfile.ZipFile(wheel) as packed:
            held = {name: packed.read(name) for name in packed.namelist()}
        held[model] += b"-- another\n"
        with zipfile.ZipFile(wheel, "w") as made:
            for name, file in held.items():
                made.writestr(name, file)
        (found,) = (one for one in self.check(files, content).findings if one.state == "differs")
        assert found.details == ("staging/accounts.sql is not that of its wheel",)

    def test_models_that_nobody_can_lay_differ(self, files: Files, content: Path) -> None:
        next((content / "software").glob("*.whl")).write_bytes(b"no wheel")
        check = self.check(files, content)
        assert [one.details[0][:35] for one in check.findings if one.state == "differs"] == [
            "the models in its wheel cannot be r"
        ]

    def test_no_page_says_to_install_its_wheel_without_a_warning(
        self, files: Files, tmp_path: Path
    ) -> None:
        strange = with_rules(with_manifest(files, perf_assets="0.0.9"), code="another")
        ran = perf_assets("check-archive", forged(tmp_path / "forged.zip", strange))
        wheel = next(file for name, file in files.items() if name.endswith(".whl"))
        assert sha256(wheel).hexdigest() in ran.stdout
        assert "is the code of the archive's maker" in ran.stdout
        assert b"pip install" not in files["README.md"]
        assert sha256(wheel).hexdigest().encode() in files["README.md"]
