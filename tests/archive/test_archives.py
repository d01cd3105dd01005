"""Archives: the same bytes each time, checked from raw tables alone, compared, gone on with."""

import shutil
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import duckdb
import polars as pl
import pytest

from perf_assets.archive.checking import check_archive
from perf_assets.archive.comparing import Compared, Comparison, Side, compare
from perf_assets.archive.comparison_page import lines
from perf_assets.archive.differences import TableDifference
from perf_assets.archive.manifest import LOCK, MANIFEST, STUDY, SUMS, VERDICTS, sums_text
from perf_assets.archive.preparing import Options
from perf_assets.archive.writing import write_archive
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from tests.archive.conftest import PERSON, RATER
from tests.effort import IS_THOROUGH
from tests.support import perf_assets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

TOKEN = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
SOURCES = (
    "SELECT DISTINCT author FROM raw.issues UNION SELECT DISTINCT author FROM raw.issue_comments"
)
LABELS = "tables/labels.performance_labels.parquet"
RULE = "rules/sql_models/marts/bug_metrics.sql"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def summed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with checksums that fit, as who changed them on purpose would write them."""
    sums = {name: sha256(file).hexdigest() for name, file in files.items() if name != SUMS}
    return {**files, SUMS: sums_text(sums)}


def parquet(rows: pl.DataFrame) -> bytes:
    written = BytesIO()
    rows.write_parquet(written)
    return written.getvalue()


def refused(ran: object, *words: str) -> None:
    said = ran.stderr  # type: ignore[attr-defined]
    assert ran.returncode == 2, said  # type: ignore[attr-defined]
    assert said.startswith("Error: ")
    assert len(said.strip().splitlines()) == 1
    for word in words:
        assert word in said


def test_the_same_database_gives_the_same_bytes_and_all_of_it_is_computed_again_equal(
    home: DataDirectory, study: Study, archive: Path, tmp_path: Path
) -> None:
    (tmp_path / "link.zip").symlink_to(tmp_path / "again.zip")
    write_archive(home, study, tmp_path / "link.zip")
    assert (tmp_path / "link.zip").is_symlink()
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()
    check = check_archive(archive)
    assert [one for one in check.findings if one.state == "differs"] == []
    equal = {one.subject for one in check.findings if one.state == "equal"}
    assert {"rules", VERDICTS, "labels.performance_labels", "links.fix_links"} <= equal
    assert {"marts.bug_metrics", "analysis.trend_tests", "report: In short"} <= equal
    reasons = {one.subject: one.details for one in check.findings if one.state == "not recomputed"}
    assert "source" in reasons["raw.issues"][0]
    assert "histories" in reasons["details.commit_metrics"][0]
    assert all(reasons.values())


def test_an_archive_holds_what_it_takes_to_check_and_cite_it(archive: Path) -> None:
    files = contents(archive)
    assert {"README.md", "LICENSES.md", "CITATION.cff", "report.md", "report/index.html"} <= set(
        files
    )
    assert {"ro-crate-metadata.json", "datapackage.json", "croissant.json"} <= set(files)
    assert {STUDY, MANIFEST, SUMS, LOCK, VERDICTS, RULE, "dictionary.html"} <= set(files)
    assert any(name.endswith(".whl") for name in files)
    assert b"polars==" in files[LOCK]
    assert b"corpus" not in files[STUDY]
    assert "address.key" not in " ".join(files)


def test_a_table_of_an_archive_says_what_its_columns_mean(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.parquet").write_bytes(contents(archive)[LABELS])
    rows = duckdb.sql(
        f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{tmp_path}/labels.parquet')"
    ).fetchall()
    said = dict(rows)
    assert "performance" in said["column:is_performance"]
    assert said["description"]
    keys = duckdb.sql(f"SELECT number FROM '{tmp_path}/labels.parquet'").fetchall()
    assert keys == sorted(keys)


@pytest.mark.parametrize("name", [LABELS, RULE, VERDICTS, LOCK])
def test_one_byte_that_changed_is_found_and_named(archive: Path, tmp_path: Path, name: str) -> None:
    files = contents(archive)
    changed = bytearray(files[name])
    changed[len(changed) // 2] ^= 1
    path = packed(tmp_path / "changed.zip", {**files, name: bytes(changed)})
    ran = perf_assets("check-archive", path)
    assert ran.returncode == 1
    assert f"differs: {name}: {name} is not what was archived" in ran.stdout
    assert "NOT as archived" in ran.stdout
    # The same byte where the zip itself tells.
    whole = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as zipped:
        info = zipped.getinfo(name)
    whole[info.header_offset + 30 + len(name) + info.compress_size // 2] ^= 1
    (tmp_path / "flipped.zip").write_bytes(whole)
    ran = perf_assets("check-archive", tmp_path / "flipped.zip")
    assert ran.returncode in (1, 2)
    assert name in ran.stdout + ran.stderr


def test_what_was_changed_with_its_checksums_is_found_by_computing_it(
    archive: Path, tmp_path: Path
) -> None:
    files = contents(archive)
    labels = pl.read_parquet(BytesIO(files[LABELS]))
    number = labels["number"].to_list()[0]
    flipped = pl.when(pl.col("number") == number).then(~pl.col("is_performance"))
    changed = labels.with_columns(flipped.otherwise("is_performance").alias("is_performance"))
    rule = files[RULE] + b"-- changed\n"
    report = files["report.md"].replace(b"are about performance", b"are about performance!")
    path = packed(
        tmp_path / "forged.zip",
        summed({**files, LABELS: parquet(changed), RULE: rule, "report.md": report}),
    )
    ran = perf_assets("check-archive", path, "--explain")
    assert ran.returncode == 1
    assert f"{RULE} is not that of this version" in ran.stdout
    assert "labels.performance_labels is not as in tables/" in ran.stdout
    assert "differs: labels.performance_labels: 1 of" in ran.stdout
    assert f"number {number}: is_performance" in ran.stdout
    assert "differs: report: " in ran.stdout
    assert "the archive was changed after they were computed" in ran.stdout


def test_pseudonyms_leave_nobody_and_change_no_result(
    home: DataDirectory, study: Study, archive: Path, tmp_path: Path
) -> None:
    path = tmp_path / "people.zip"
    ran = perf_assets(
        *("archive", path, "--study", study.path, "--pseudonymise", "--data-dir", home.path),
        *("--author", "Ada: Lovelace"),
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    with duckdb.connect(str(home.published), read_only=True) as connection:
        people = {one for (one,) in connection.execute(SOURCES).fetchall() if one is not None}
        emails = connection.execute("SELECT DISTINCT author_email FROM raw.commits").fetchall()
        bots = connection.execute("SELECT login FROM staging.accounts WHERE is_bot").fetchall()
    wanted = {*people, *(email for (email,) in emails if email), RATER, "ada@example.org"}
    assert b"name: 'Ada: Lovelace'" in contents(path)["CITATION.cff"]
    wanted -= {bot for (bot,) in bots if bot.endswith("[bot]") or "robot" in bot}
    assert PERSON in wanted
    for name, content in contents(path).items():
        texts = content.lower()
        if name.endswith(".parquet"):  # they are compressed
            texts = repr(pl.read_parquet(BytesIO(content)).rows()).lower().encode()
        if not name.endswith(".whl"):  # software, no data
            assert [one for one in wanted if one.lower().encode() in texts] == [], name
    assert not any(name.endswith(".key") for name in contents(path))
    found = compare(archive, path)
    differing = {one.difference.table for one in found.differing}
    assert not {table for table in differing if table.startswith(("labels", "links", "analysis"))}
    assert differing >= {"raw.issues", "reviews.verdicts"}
    refused(perf_assets("run", "--from", path, "--data-dir", tmp_path / "new"), "is pseudonymised")


@pytest.mark.exhaustive
def test_pseudonymised_archives_have_the_same_bytes_and_are_checked_as_others(
    home: DataDirectory, study: Study, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    for path in (first, second):
        write_archive(home, study, path, Options(is_pseudonymised=True))
    assert first.read_bytes() == second.read_bytes()
    assert check_archive(first).is_equal


def test_without_texts_none_is_left_and_what_they_decide_is_not_recomputed(
    home: DataDirectory, study: Study, tmp_path: Path
) -> None:
    path = tmp_path / "bare.zip"
    write_archive(home, study, path, Options(has_texts=False))
    with duckdb.connect(str(home.published), read_only=True) as connection:
        ((title, body),) = connection.execute(
            "SELECT title, body FROM raw.issues AS issues WHERE length(body) > 40 AND NOT EXISTS "
            "(FROM raw.commits WHERE contains(message, issues.title)) LIMIT 1"
        ).fetchall()
    for name, content in contents(path).items():
        assert title.encode() not in content, name
        assert body.splitlines()[0].encode() not in content or len(body.splitlines()[0]) < 40
    check = check_archive(path)
    assert check.is_equal
    states = {one.subject: one.state for one in check.findings}
    assert states["labels.performance_labels"] == "not recomputed"
    assert states["analysis.trend_tests"] == states["marts.trend_monthly"] == "equal"


def test_secrets_are_listed_before_anything_is_written(
    home: DataDirectory, study: Study, tmp_path: Path
) -> None:
    leaking = DataDirectory(shutil.copytree(home.path, tmp_path / "leaking"))
    with open_warehouse(leaking.warehouse) as database:
        database.connection.execute(
            "UPDATE raw.issues SET body = body || ' my token is ' || ? WHERE number = 3", [TOKEN]
        )
    publish(leaking)
    path = tmp_path / "secret.zip"
    archiving = ("archive", path, "--study", study.path, "--data-dir", leaking.path)
    ran = perf_assets(*archiving)
    assert ran.returncode == 2
    assert "raw.issues" in ran.stderr
    assert "nothing was written" in ran.stderr
    assert TOKEN not in ran.stderr + ran.stdout
    assert list(tmp_path.glob("*.zip")) == []
    if not IS_THOROUGH:  # it computes all again
        return
    assert perf_assets(*archiving, "--secrets", "remove").returncode == 0
    issues = pl.read_parquet(BytesIO(contents(path)["tables/raw.issues.parquet"]))
    (body,) = issues.filter(number=3)["body"]
    assert "[secret removed]" in body
    assert all(TOKEN.encode() not in content for content in contents(path).values())


@pytest.mark.exhaustive
def test_a_run_goes_on_from_an_archive_with_its_verdicts(
    home: DataDirectory, study: Study, archive: Path, tmp_path: Path
) -> None:
    new = DataDirectory(tmp_path / "new")
    going_on = ("run", "--from", archive, "--study", study.path, "--data-dir", new.path)
    ran = perf_assets(*going_on)
    assert ran.returncode == 0, ran.stderr
    with duckdb.connect(str(new.published), read_only=True) as connection:
        raters = connection.execute("SELECT rater FROM reviews.verdicts").fetchall()
        reads = connection.execute("SELECT count(*) FROM meta.source_requests").fetchall()
    assert raters == [(RATER,)]
    assert reads[0][0] >= 1
    assert new.verdicts.exists()
    found = compare(home.path, new.path)
    # Addresses are hashed by the key of the new data directory.
    own = {"raw.commits", "marts.bug_fixers", "raw.branch_commits", "raw.issue_comments"}
    assert {one.difference.table for one in found.differing} <= own
    assert perf_assets(*going_on).returncode == 0  # killed meanwhile or not


def changed_copy(database: Path, path: Path, *statements: str) -> Path:
    shutil.copyfile(database, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("; ".join(statements))
    return path


def test_what_changed_is_reported_by_its_cause(
    home: DataDirectory, archive: Path, tmp_path: Path
) -> None:
    changed = changed_copy(
        home.published,
        tmp_path / "changed.duckdb",
        "UPDATE raw.issues SET title = 'slow' WHERE number = 2",
        "UPDATE labels.performance_labels SET ignored_lines = ['lag'] WHERE number = 2",
        "UPDATE meta.about SET value = 'lag' WHERE topic = 'rules' AND fact = 'keywords'",
    )
    page = tmp_path / "page.html"
    ran = perf_assets("compare", archive, changed, "--page", page)
    assert ran.returncode == 1
    assert (
        "source: raw.issues: 0 rows only in the first, 0 only in the second, 1 changed"
        in ran.stdout
    )
    assert "rules: keywords: " in ran.stdout
    assert "labels.performance_labels: " in ran.stdout
    assert "by source (1 of 1 rows), rules" in ran.stdout
    assert "labels.performance_labels" in page.read_text()
    same = perf_assets("compare", archive, home.path)
    assert same.returncode == 0
    assert "0 tables differ" in same.stdout


def test_a_column_that_only_one_has_is_named(
    home: DataDirectory, archive: Path, tmp_path: Path
) -> None:
    adding = "ALTER TABLE marts.activity ADD COLUMN mood VARCHAR"
    changed = changed_copy(home.published, tmp_path / "changed.duckdb", adding)
    page = tmp_path / "page.html"
    ran = perf_assets("compare", home.path, changed, "--page", page)
    assert ran.returncode == 1
    sentence = "not compared, as only one of the two has it, or in another type: mood"
    assert f"marts.activity: {sentence}\n" in ran.stdout
    assert sentence in page.read_text()
    assert "0 tables differ" in ran.stdout
    # Archives say which code computed them; others do not.
    assert "code: no change is noted; versions of the code are noted" in ran.stdout
    assert "code: no change" in lines(compare(archive, archive))


def test_an_archive_replaces_no_study(home: DataDirectory, archive: Path, tmp_path: Path) -> None:
    held = tmp_path / "held"
    held.mkdir()
    shutil.copyfile(home.published, held / home.published.name)
    refused(perf_assets("run", "--from", archive, "--data-dir", held), "holds a study already")
    refused(
        perf_assets("run", "--from", archive, "--data-dir", tmp_path / "new"), "name with --study"
    )


def newer(files: dict[str, bytes]) -> dict[str, bytes]:
    return {**files, MANIFEST: files[MANIFEST].replace(b'"format": 1', b'"format": 99')}


def bare(files: dict[str, bytes]) -> dict[str, bytes]:
    return {"hello.txt": b"hello"}


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        (newer, "made by a newer perf-assets"),
        (bare, "not an archive of perf-assets"),
        (lambda files: {**files, "../evil": b"x"}, "is refused"),
        (lambda files: {**files, MANIFEST: b"{"}, "is damaged"),
    ],
)
def test_bad_archives_are_refused_in_one_sentence(
    archive: Path,
    tmp_path: Path,
    spoilt: Callable[[dict[str, bytes]], dict[str, bytes]],
    words: str,
) -> None:
    small = {name: file for name, file in contents(archive).items() if len(file) < 100_000}
    path = packed(tmp_path / "bad.zip", spoilt(small))
    before = sorted(tmp_path.iterdir())
    refused(perf_assets("check-archive", path), words)
    refused(perf_assets("compare", path, path), words)
    refused(perf_assets("run", "--from", path, "--data-dir", tmp_path / "new"), words)
    (tmp_path / "new" / "run.lock").unlink(missing_ok=True)
    shutil.rmtree(tmp_path / "new", ignore_errors=True)
    assert sorted(tmp_path.iterdir()) == before


def test_mistakes_of_a_person_who_archives_get_a_sentence(
    home: DataDirectory, study: Study, tmp_path: Path
) -> None:
    own = ("--data-dir", home.path)
    (tmp_path / "notes.txt").write_text("mine")
    refused(
        perf_assets("archive", tmp_path / "notes.txt", *own, "--study", study.path),
        "not an archive",
    )
    assert (tmp_path / "notes.txt").read_text() == "mine"
    refused(perf_assets("archive", tmp_path, *own, "--study", study.path), "is a directory")
    mine = tmp_path / "mine"
    mine.mkdir()
    shutil.copyfile(home.published, mine / home.published.name)
    with duckdb.connect(str(mine / home.published.name)) as connection:
        connection.execute("UPDATE meta.about SET value = 'mine' WHERE fact = 'name'")
    refused(
        perf_assets("archive", tmp_path / "a.zip", "--data-dir", mine), "name its file with --study"
    )
    nowhere = ("--data-dir", tmp_path / "nowhere")
    refused(perf_assets("archive", tmp_path / "a.zip", *nowhere), "no such data directory")
    other = tmp_path / "other.toml"
    other.write_text(
        study.path.read_text().replace(
            "[[repositories]]", 'keywords = ["lag"]\n\n[[repositories]]', 1
        )
    )
    for line in ("corpus", "git"):  # they are beside the study's file
        other.write_text(
            other.read_text().replace(f'{line} = "', f'{line} = "{study.path.parent}/')
        )
    refused(
        perf_assets("archive", tmp_path / "a.zip", *own, "--study", other),
        "another study",
        "keywords",
    )
    assert not (tmp_path / "a.zip").exists()


def test_a_full_disk_leaves_the_older_archive(
    home: DataDirectory,
    study: Study,
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "study.zip"
    shutil.copyfile(archive, path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("perf_assets.archive.writing.prepare", full)
    ran = perf_assets("archive", path, "--study", study.path, "--data-dir", home.path)
    refused(ran, "cannot be written there: No space left on device")
    assert path.read_bytes() == archive.read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == ["study.zip"]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "by nothing that is noted: the version of the code is not known"),
        ({"labels": "1"}, "by nothing that is noted: what is computed was changed by hand"),
    ],
)
def test_a_change_by_hand_is_claimed_only_where_the_code_is_known(
    rules: dict[str, str], message: str
) -> None:
    table = Compared(TableDifference("marts.bug_metrics", 2, only_first=1))
    comparison = Comparison(Side("a.zip", rules), Side("b.zip", rules), (table,))
    assert any(line.endswith(message) for line in lines(comparison))
