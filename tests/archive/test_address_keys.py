"""Databases that hash addresses by different keys are compared without the hashes."""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from perf_assets.archive.comparing import compare
from perf_assets.archive.extending import begin_from
from perf_assets.archive.preparing import Options
from perf_assets.archive.writing import write_archive
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.storage.address_key import VARIABLE, fingerprint
from tests.conftest import trusted_audits
from tests.support import Prepared, materialize, perf_assets, undone

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

KEY = "7c" * 32
SENTENCE = "address keys: the address keys of the two differ"
FACT = "SELECT value FROM meta.about WHERE topic = 'database' AND fact = 'address_key'"
WITHOUT_FACT = "DELETE FROM meta.about WHERE fact = 'address_key'"


@pytest.fixture(scope="module")
def elsewhere(once: Callable[..., Path], small: Prepared) -> Path:
    """A data directory that mined the study of ``small`` with another key."""

    def fill(directory: Path) -> None:
        with undone({VARIABLE: KEY}), trusted_audits():
            materialize(small.study, directory)

    return once("elsewhere", fill)


def changed(data_dir: Path, path: Path, statement: str) -> Path:
    shutil.copyfile(DataDirectory(data_dir).published, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)
    return path


def fact_of(database: Path) -> list[str]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return [value for (value,) in connection.execute(FACT).fetchall()]


def test_publishes_the_fingerprint_of_the_key(elsewhere: Path) -> None:
    assert fact_of(DataDirectory(elsewhere).published) == [fingerprint(bytes.fromhex(KEY))]
    assert KEY.encode() not in DataDirectory(elsewhere).published.read_bytes()


def test_says_once_that_address_keys_differ_and_blames_no_source(
    small: Prepared, elsewhere: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    ran = perf_assets("compare", small.data_dir, elsewhere, "--page", page)
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.count(SENTENCE) == 1
    assert f"by {VARIABLE} or a copy of the file address.key" in ran.stdout
    assert "source: no change\n" in ran.stdout
    assert "0 tables differ" in ran.stdout
    assert KEY not in ran.stdout
    assert page.read_text().count("the address keys of the two differ") == 1


def test_names_other_differences_beside_the_keys(
    small: Prepared, elsewhere: Path, tmp_path: Path
) -> None:
    statements = (
        "UPDATE raw.issues SET title = 'slow' WHERE number = 2; "
        "UPDATE raw.commits SET author_name = 'Eve', author_email = NULL "
        "WHERE sha = (SELECT min(sha) FROM raw.commits)"
    )
    path = changed(elsewhere, tmp_path / "changed.duckdb", statements)
    ran = perf_assets("compare", small.data_dir, path)
    assert ran.stdout.count(SENTENCE) == 1
    for table in ("raw.issues", "raw.commits"):
        counts = "0 rows only in the first, 0 only in the second, 1 changed"
        assert f"source: {table}: {counts}\n" in ran.stdout
    assert "raw.commits: 0 rows only in the first, 0 only in the second, 1 changed" in ran.stdout


def test_does_not_compare_persons_that_a_hash_identifies(
    small: Prepared, elsewhere: Path, tmp_path: Path
) -> None:
    hashed = f"UPDATE marts.bug_fixers SET person = '{'ab' * 16}' WHERE number = {{}}"
    number = "(SELECT min(number) FROM marts.bug_fixers)"
    one = changed(small.data_dir, tmp_path / "one.duckdb", hashed.format(number))
    other = changed(elsewhere, tmp_path / "other.duckdb", hashed.format(number))
    with duckdb.connect(str(other)) as connection:
        connection.execute(f"UPDATE marts.bug_fixers SET person = '{'cd' * 16}'")
        connection.execute("DELETE FROM analysis.fixing_concentration")
    found = compare(one, other)
    causes = {table.difference.table: table.causes for table in found.differing}
    # Who is known by a login in the first is there; who is known by a hash is in neither.
    with duckdb.connect(str(one), read_only=True) as connection:
        query = "SELECT count(*) FROM marts.bug_fixers WHERE length(person) < 32"
        ((known,),) = connection.execute(query).fetchall()
    fixers = next(table for table in found.tables if table.difference.table == "marts.bug_fixers")
    assert (fixers.difference.only_first, fixers.difference.only_second) == (known, 0)
    assert causes["analysis.fixing_concentration"] == ("address keys",)


def test_without_a_fingerprint_says_nothing_of_keys(
    small: Prepared, elsewhere: Path, tmp_path: Path
) -> None:
    older = changed(elsewhere, tmp_path / "older.duckdb", WITHOUT_FACT)
    for pair in ((small.data_dir, older), (older, elsewhere)):
        ran = perf_assets("compare", *pair)
        assert "address key" not in ran.stdout
    same = perf_assets("compare", elsewhere, DataDirectory(elsewhere).published)
    assert same.returncode == 0
    assert "address key" not in same.stdout


def test_without_hashed_addresses_says_nothing_of_keys(
    small: Prepared, elsewhere: Path, tmp_path: Path
) -> None:
    statements = (
        "UPDATE raw.commits SET author_email = NULL, canonical_email = NULL; "
        "DELETE FROM marts.bug_fixers"
    )
    one = changed(small.data_dir, tmp_path / "one.duckdb", statements)
    other = changed(elsewhere, tmp_path / "other.duckdb", statements)
    ran = perf_assets("compare", one, other)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "address key" not in ran.stdout


def test_archives_say_that_address_keys_differ_and_pseudonyms_do_not(
    small: Prepared, elsewhere: Path, study: Study, archive: Path, tmp_path: Path
) -> None:
    found = compare(archive, elsewhere)
    assert len(found.address_keys) == 1
    assert "raw.commits" not in {table.difference.table for table in found.differing}
    # Pseudonyms stand for hashes too; their key is another one.
    path = tmp_path / "people.zip"
    home = DataDirectory(shutil.copytree(small.data_dir, tmp_path / "home"))
    write_archive(home, study, path, Options(is_pseudonymised=True))
    found = compare(path, elsewhere)
    assert found.address_keys == []
    assert found.first.address_key is None
    assert any("people, secrets or texts were taken out of it" in one for one in found.source)


def test_data_directory_that_goes_on_from_an_archive_has_not_its_key(
    study: Study, archive: Path, tmp_path: Path
) -> None:
    new = DataDirectory.of(tmp_path / "new")
    begin_from(archive, new, str(study.path))
    assert fact_of(new.warehouse) == []


def test_publishes_the_fingerprint_although_nothing_else_changed(
    data_dir: Path, small: Prepared
) -> None:
    home = DataDirectory(data_dir)
    for path in (home.warehouse, home.published):
        with duckdb.connect(str(path)) as connection:
            connection.execute(WITHOUT_FACT)
    materialize(small.study, data_dir)
    assert fact_of(home.published) == [fingerprint(bytes.fromhex("5a" * 32))]
