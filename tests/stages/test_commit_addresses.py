"""Addresses of commits: hidden by the key, by the mail map as it is now, and as the study says."""

import stat
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.addresses import hashed_address
from perf_assets.sources.git.clone import update_clone
from perf_assets.stages.mining.commits import load_commits
from perf_assets.storage.address_key import VARIABLE, address_key
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.forgetting import forget
from perf_assets.storage.warehouse import open_warehouse
from tests.git_repositories import FILE, Made, make

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

REPOSITORY = "owner/name"
WHEN = "1483228800 +0000"
OLD, NEW = "Old@Example.org", "new@example.org"
HIDDEN = "7+Ada@users.noreply.github.com"


def history(mailmap: bytes | None = None) -> list[Made]:
    commits = [
        Made({b"a": (FILE, b"1\n")}, author=f"Ada <{OLD}>", when=WHEN),
        Made({b"a": (FILE, b"2\n")}, [0], author=f"Ada <{NEW}>", when=WHEN),
        Made({b"a": (FILE, b"3\n")}, [1], author=f"Ada <{HIDDEN}>", when=WHEN),
        Made({b"a": (FILE, b"4\n")}, [2], author="Nobody <>", when=WHEN),
    ]
    if mailmap is not None:
        files = {b"a": (FILE, b"4\n"), b".mailmap": (FILE, mailmap)}
        commits.append(Made(files, [3], author=f"Ada <{NEW}>", when=WHEN))
    return commits


def load(source: Path, data_dir: Path, policy: str = "hashed") -> tuple[int, list[tuple]]:
    """How many months were stored, and the addresses then."""
    directory = DataDirectory.of(data_dir)
    with open_warehouse(directory.warehouse) as database:
        writer = AuditedWriter(database, directory)
        clone = update_clone(str(source), directory.clone(REPOSITORY))
        outcomes = list(load_commits(writer, clone, REPOSITORY, ["2017-01"], policy))
        assert all(outcome.failure is None for outcome in outcomes)
        columns = "author_email, canonical_email, author_login"
        rows = database.frame(f"SELECT {columns} FROM raw.commits").rows()
    return sum(outcome.is_written for outcome in outcomes), sorted(rows, key=str)


def hashed(*emails: str) -> list[str]:
    return [hashed_address(email, bytes.fromhex("5a" * 32)) for email in emails]


def test_addresses_are_hidden_and_those_of_githubs_own_name_the_account(tmp_path: Path) -> None:
    make(tmp_path / "source.git", history())
    _, found = load(tmp_path / "source.git", tmp_path / "home")
    old, new, hidden = hashed(OLD, NEW, HIDDEN)
    expected = [(old, old, None), (new, new, None), (hidden, hidden, "ada"), (None, None, None)]
    assert found == sorted(expected, key=str)
    for path in (tmp_path / "home").glob("*.duckdb"):
        assert b"example.org" not in path.read_bytes().lower()


def test_a_mail_map_that_changes_reaches_commits_that_were_stored_before(tmp_path: Path) -> None:
    source, home = tmp_path / "source.git", tmp_path / "home"
    make(source, history())
    load(source, home)
    make(source, history(f"Ada <{NEW}> <{OLD.lower()}>\n".encode()))
    written, found = load(source, home)
    old, new = hashed(OLD, NEW)
    assert written == 1
    assert (old, new, None) in found
    assert load(source, home)[0] == 0
    assert found == load(source, tmp_path / "fresh")[1]


@pytest.mark.parametrize("policy", ["hashed", "plain"])
def test_a_forgotten_person_is_not_read_again_for_the_mail_map(tmp_path: Path, policy: str) -> None:
    source, home = tmp_path / "source.git", tmp_path / "home"
    make(source, history(b"<proper@example.org> <old@example.org>\n"))
    load(source, home, policy)
    forget(DataDirectory.of(home), "ada", [OLD])
    assert load(source, home, policy)[0] == 0
    _, rows = load(source, home, policy)
    proper = ["proper@example.org", *hashed("proper@example.org")]
    assert not any(email in row for row in rows for email in proper)
    assert sum(str(row[0]).startswith("forgotten-") for row in rows) == 2


def test_another_policy_stores_them_otherwise(tmp_path: Path) -> None:
    source, home = tmp_path / "source.git", tmp_path / "home"
    make(source, history())
    load(source, home)
    _, plain = load(source, home, "plain")
    assert (OLD.lower(), OLD.lower(), None) in plain
    _, none = load(source, home, "none")
    assert none == [(None, None, None)] * 4
    assert load(source, home, "none")[0] == 0
    assert load(source, home)[1] == load(source, tmp_path / "fresh")[1]


def test_a_key_is_made_once_and_is_its_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    directory = DataDirectory.of(tmp_path / "home")
    key = address_key(directory)
    assert len(key) == 32
    assert address_key(directory) == key
    assert stat.S_IMODE(directory.address_key.stat().st_mode) == 0o600
    assert address_key(DataDirectory.of(tmp_path / "other")) != key
    monkeypatch.setenv(VARIABLE, "AB" * 32)
    assert address_key(directory) == b"\xab" * 32


@pytest.mark.parametrize("text", ["ab", "x" * 64, "secret words"])
def test_what_is_not_a_key_is_refused_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(PerfAssetsError, match="64 hexadecimal digits") as error:
        address_key(DataDirectory.of(tmp_path))
    assert text not in str(error.value).replace(VARIABLE, "") or len(text) < 3
    monkeypatch.delenv(VARIABLE)
    (tmp_path / "address.key").write_text(text)
    with pytest.raises(PerfAssetsError, match="64 hexadecimal digits"):
        address_key(DataDirectory.of(tmp_path))
