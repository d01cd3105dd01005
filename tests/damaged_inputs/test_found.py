"""What damaged inputs found, each as the smallest input that showed it."""

import hashlib
import json
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import py7zr
import pyarrow as pa
import pytest
from pydantic import ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.errors.messages import explain_error
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.lake_maintenance_job import Retention
from perf_assets.dagster_app.workers import COUNT, worker_count
from perf_assets.lake import delta
from perf_assets.lake.errors import friendly_errors
from perf_assets.lake.location import Lake
from perf_assets.lake.releases import SCHEMA, made_releases, needed
from perf_assets.lint.findings import Unreadable
from perf_assets.lint.linter import check
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.command import error_line
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.github.credentials import credentials_of
from perf_assets.sources.replication import cells
from perf_assets.sources.replication.csv_files import RejectedError
from perf_assets.sources.stackexchange import dump_posts
from perf_assets.sources.stackexchange.dump_files import find_dump
from perf_assets.stand_ins.stackexchange.site import read_site
from perf_assets.storage.backups import open_backup
from perf_assets.storage.verdicts import SUM, VERDICT_KINDS, read_log
from tests.damaged_inputs.kinds import LONGEST_SENTENCE
from tests.review_sheets import sheet, verdicts_of
from tests.support import perf_assets

pytestmark = pytest.mark.slow

BEYOND = str(2**64)
ENDLESS = "9" * 5000
FIRST = "0001-01-01T00:00:00+14:00"  # in UTC it is a day before the calendar begins


@pytest.mark.parametrize(
    "read",
    [
        lambda: cells.whole_number(BEYOND, "n"),
        lambda: cells.whole_number(ENDLESS, "n"),
        lambda: cells.decimal(ENDLESS, "n"),
        lambda: cells.issue_number(BEYOND),
        lambda: cells.commentators(f"{{'ann': {BEYOND}}}"),
        lambda: cells.commentators("(" * 500),
        lambda: cells.commentators("{[]: 1}"),
    ],
)
def test_a_number_that_no_column_holds_is_a_reject(read: Callable[[], object]) -> None:
    with pytest.raises(RejectedError):
        read()


def test_half_a_character_of_a_login_is_not_text() -> None:
    assert cells.commentators(r"{'a\ud800': 1}") == {"a\ufffd": 1}


def test_a_time_before_the_calendar_is_not_a_time() -> None:
    commit = f"({'a' * 40}, 0001-01-01 00:00:00 +1400, Ann, 1, 2, 3, LINK)"
    assert cells.commits(commit) == [commit]
    with pytest.raises(ValueError, match="not a time"):
        dump_posts.closing({"PostHistoryTypeId": "10", "PostId": "1", "CreationDate": FIRST})


@pytest.mark.parametrize(
    "row",
    [
        {"verdict_id": 1, "rater": [""]},
        {"verdict_id": 10**40},
        {"verdict_id": 1, "imported_at": "soon"},
        {"verdict_id": 1, "rater": "Ann", "subcategory": "x"},
        "text",
        7,
    ],
)
def test_a_verdict_that_its_table_does_not_take_is_damaged(row: object, tmp_path: Path) -> None:
    held = [row]
    digest = hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps({SUM: digest, VERDICT_KINDS[0].word: held}) + "\n")
    assert read_log(path).damaged == [1]


def test_a_list_of_verdicts_that_is_none_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    digest = hashlib.sha256(b"7").hexdigest()
    path.write_text(json.dumps({SUM: digest, VERDICT_KINDS[0].word: 7}) + "\n")
    assert read_log(path).damaged == [1]


def test_an_archive_whose_list_of_contents_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "Posts.7z"
    with py7zr.SevenZipFile(path, "w") as archive:
        archive.writestr("<posts></posts>", "Posts.xml")
    valid = path.read_bytes()
    refused = 0
    for index in range(1, 60):
        content = bytearray(valid)
        content[-index] ^= 0xFF
        path.write_bytes(content)
        try:
            find_dump(path)
        except PerfAssetsError as error:
            refused += str(path) in str(error)
    assert refused > 30


@pytest.mark.parametrize(
    "text", ["<posts><row /></posts>", "<posts>", "<?xml version='1.0' encoding='null'?><posts/>"]
)
def test_a_dump_that_cannot_be_served_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "Posts.xml").write_text(text)
    with pytest.raises(PerfAssetsError, match="can be served"):
        read_site(tmp_path)


def test_addresses_that_are_none_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PerfAssetsError, match="no address"):
        Lake.of("http://[")
    with pytest.raises(PerfAssetsError, match="no such user"):
        DataDirectory.of("~nobodyIsCalledSo/x")
    app = {"GITHUB_APP_ID": "1", "GITHUB_APP_PRIVATE_KEY": "~nobodyIsCalledSo"}
    with pytest.raises(PerfAssetsError, match="PRIVATE_KEY"):
        credentials_of({**app, "GITHUB_APP_INSTALLATION_ID": "1"})
    with pytest.raises(PerfAssetsError, match="INSTALLATION_ID"):
        credentials_of({**app, "GITHUB_APP_INSTALLATION_ID": ENDLESS})
    monkeypatch.setenv(COUNT, ENDLESS)
    with pytest.raises(PerfAssetsError, match="not a number"):
        worker_count()


def test_a_retention_ends_within_the_calendar(tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        Retention(days=10**9)
    refused = perf_assets("lake", "optimize", "--lake", tmp_path, "--retention-days", "1e308")
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr


def test_a_damaged_block_that_is_met_while_reading_names_its_remedy(tmp_path: Path) -> None:
    message = "Corrupt database file: computed checksum 1 does not match stored checksum 2 in block"
    assert "doctor --repair" in str(explain_error(duckdb.Error(message), tmp_path))
    assert explain_error(ValueError(message), tmp_path) is None


def test_a_sentence_does_not_grow_with_what_it_refuses(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    tag = "x" * 70_000
    path.write_text(
        f'name = "x"\n[[forums]]\nname = "so"\ntags = {{ tf = ["{tag}"] }}\nstart = "2020-01"\n'
    )
    with pytest.raises(PerfAssetsError) as refused:
        load_study(path)
    assert len(str(refused.value)) < LONGEST_SENTENCE


@pytest.mark.parametrize(
    "error",
    [
        duckdb.Error("TProtocolException: Invalid data"),
        duckdb.ConversionException("Type VARCHAR with value 'x' can't be cast to VARCHAR[]"),
    ],
)
def test_bytes_of_a_lake_that_are_not_rows_of_it_are_damage(error: duckdb.Error) -> None:
    with pytest.raises(PerfAssetsError, match="is damaged"), friendly_errors(Lake("/lake")):
        raise error


def test_a_release_without_its_description_is_refused(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    releases = made_releases(lake)
    row = dict.fromkeys(SCHEMA.names) | {"lake_bucket": 1, "generation": 1}
    delta.append(releases.table, pa.Table.from_pylist([row], SCHEMA).to_batches(), SCHEMA)
    with pytest.raises(PerfAssetsError, match="list of releases"), duckdb.connect() as connection:
        needed(lake).lay(connection, None)


def lake_of_one_release(path: Path, spoil: Callable[[dict[str, Any]], None]) -> Lake:
    """A lake whose log says of its one file of releases what ``spoil`` makes of it."""
    lake = Lake(str(path))
    releases = made_releases(lake)
    row = dict.fromkeys(SCHEMA.names) | {"lake_bucket": 1, "generation": 1, "lake_subject": "a/a"}
    delta.append(releases.table, pa.Table.from_pylist([row], SCHEMA).to_batches(), SCHEMA)
    *_, last = sorted(path.rglob("_delta_log/*.json"))
    actions = [json.loads(line) for line in last.read_text(encoding="utf-8").splitlines()]
    for action in actions:
        if "add" in action:
            spoil(action["add"])
    last.write_text("\n".join(map(json.dumps, actions)), encoding="utf-8")
    return lake


@pytest.mark.parametrize("path", ["a\0b.parquet", "*/*.parquet", "../a.parquet", ENDLESS])
def test_a_log_that_names_no_file_of_its_table_is_damaged(path: str, tmp_path: Path) -> None:
    lake = lake_of_one_release(tmp_path, lambda add: add.update(path=path))
    damage = pytest.raises(PerfAssetsError, match="the log of this table is damaged")
    with damage, duckdb.connect() as connection:
        needed(lake).lay(connection, None)


@pytest.mark.parametrize(
    "words",
    [("backup", "{bad}", "--data-dir", "{good}"), ("run", "--data-dir", "{bad}")],
    ids=["backup", "home"],
)
def test_a_path_that_is_not_utf8_is_refused_before_the_database_meets_it(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    places = {"bad": f"{tmp_path}/x\udced\udcb2\udc80", "good": str(tmp_path)}
    refused = perf_assets(*(word.format(**places) for word in words))
    assert refused.returncode == 2
    assert "is not UTF-8" in refused.stderr
    with pytest.raises(PerfAssetsError, match="is not UTF-8"):
        Lake.of(places["bad"])


def test_a_number_of_thousands_of_digits_in_a_checked_file_is_named() -> None:
    head = "import pandas as pd\nimport tensorflow as tf\nfrom data import parse\n"
    made = f"series = pd.Series([1, 0x{'f' * 5000}]).map(parse)\n"
    read = "ds = tf.data.Dataset.from_tensor_slices(series)\n"
    with pytest.raises(Unreadable, match="too many digits"):
        check(head + made + read, "a.py")


def test_a_query_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    duckdb.connect(str(DataDirectory(tmp_path).published)).close()
    refused = perf_assets("query", "SELECT '\udced\udcb2\udc80'", "--data-dir", tmp_path)
    assert (refused.returncode, "is not UTF-8" in refused.stderr) == (2, True)


def test_a_file_of_releases_of_which_the_last_subject_is_not_known_is_read(tmp_path: Path) -> None:
    def forget_the_last(add: dict[str, Any]) -> None:
        known = json.loads(add["stats"])
        del known["maxValues"]["lake_subject"]
        add["stats"] = json.dumps(known)

    lake = lake_of_one_release(tmp_path, forget_the_last)
    assert len(needed(lake).files(["b/b"])) == 1


def test_a_number_of_thousands_of_digits_in_a_sheet_is_none() -> None:
    with pytest.raises(PerfAssetsError, match="not the number"):
        verdicts_of(sheet({"number": ENDLESS, "is_performance": "yes"}))


def test_a_name_of_any_length_within_a_backup_is_reported_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "backup.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("backup.json", b"x" * 9000)
    content = bytearray(path.read_bytes())
    content[26:28] = (8000).to_bytes(2, "little")  # of the name, in the header of the member
    path.write_bytes(content)
    with (
        pytest.raises(PerfAssetsError, match=r"backup\.zip") as error,
        open_backup(path),
    ):
        pass
    assert len(str(error.value)) < LONGEST_SENTENCE + len(str(path))


def test_the_beginning_of_what_git_says_of_a_damaged_file_is_reported() -> None:
    line = error_line(f"warning: odd\nfatal: bad boolean config value '{'a={' * 9000}'\n")
    assert line.startswith("fatal: bad boolean config value 'a={a={")
    assert len(line) < LONGEST_SENTENCE / 2


def test_a_tree_that_holds_itself_does_not_fill_the_memory(tmp_path: Path) -> None:
    def git(*words: str, given: bytes = b"") -> str:
        command = ["git", f"--git-dir={tmp_path}", *words]
        return subprocess.run(command, input=given, capture_output=True, check=True).stdout.decode()

    git("init", "--bare", "--quiet", "--initial-branch=main", str(tmp_path))
    tree = "ab" * 20
    content = b"40000 folder\0" + bytes.fromhex(tree)
    path = tmp_path / "objects" / tree[:2] / tree[2:]
    path.parent.mkdir()
    path.write_bytes(zlib.compress(b"tree %d\0" % len(content) + content))
    who = "A <a@b.c> 1600000000 +0000"
    commit = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nFolder\n"
    sha = git("hash-object", "-t", "commit", "-w", "--stdin", given=commit.encode()).strip()
    git("update-ref", "refs/heads/main", sha)
    clone = Clone(tmp_path, str(tmp_path), "main", sha)
    with pytest.raises(PerfAssetsError, match="cannot be read"):
        list(read_commits(clone))
