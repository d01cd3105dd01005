"""The published package as a source: its traps, its faults, and where it comes from."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.replication import Package, cells, fetch_package, read_package
from perf_assets.sources.replication.package import Pinned, pinned
from tests.paths import PYTORCH_PACKAGE
from tests.replication_package import commit, replace_in, sha, write_package

read_any = partial(read_package, accept_changes=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_package(tmp_path / "package")


def bug(package: Package, number: int) -> dict[str, object]:
    return package.bugs.filter(repository="pytorch/pytorch", number=number).row(0, named=True)


def refusal(folder: Path, **options: bool) -> str:
    with pytest.raises(PerfAssetsError) as caught:
        read_package(folder, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_row_of_every_file_is_loaded(folder: Path) -> None:
    package = read_any(folder)
    heights = {name: frame.height for name, frame in package.frames.items()}
    assert heights == {
        "bugs": 16,
        "fixes": 10,
        "fix_commits": 14,
        "paper_series": 8,
        "taxonomy": 6,
        "rejected_rows": 0,
    }


def test_missing_values_are_null_and_lists_are_split(folder: Path) -> None:
    package = read_any(folder)
    quiet, plain, bare = bug(package, 107), bug(package, 101), bug(package, 102)
    missing = ("first_comment_at", "closed_at", "minutes_to_first_comment", "minutes_to_close")
    assert [quiet[name] for name in missing] == [None] * 4
    assert quiet["commentator_names"] == []
    assert plain["labels"] == ["module:performance", "high"]
    assert bare["labels"] == []
    assert plain["commentator_names"] == ["bob"]
    assert plain["commentator_comments"] == [2]
    assert bug(package, 106)["author"] is None
    assert str(plain["opened_at"]) == "2017-01-01 03:00:00+00:00"


def test_the_commits_of_a_fix_are_read_from_one_cell(folder: Path) -> None:
    commits = read_any(folder).fix_commits.filter(repository="pytorch/pytorch", number=101)
    assert commits["sha"].to_list() == [sha("a"), sha("b")]
    assert commits["author_name"].to_list() == ["O'Neil, Jr."] * 2
    assert commits["approach"].to_list() == ["url", "id"]
    assert commits["additions"].to_list() == [20, 10]
    assert str(commits["committed_at"][0]) == "2017-02-02 07:30:00+00:00"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2017-02-01 23:30:00 -0800", "2017-02-02 07:30"),
        ("2017-02-01 03:10:00 +0530", "2017-01-31 21:40"),
        ("2017-02-01 03:10:00 +0000", "2017-02-01 03:10"),
    ],
)
def test_the_zone_of_a_commit_is_heeded(written: str, meant: str) -> None:
    cell = commit("a", 20, 10).replace("2017-02-01 23:30:00 -0800", written)
    (read,) = cells.commits(cell)
    assert isinstance(read, dict)
    assert read["committed_at"] == datetime.fromisoformat(f"{meant}+00:00")


def test_a_time_without_zone_is_taken_as_utc() -> None:
    assert cells.moment("2017-1-01 3:05", "opened") == datetime(2017, 1, 1, 3, 5, tzinfo=UTC)


def test_totals_that_are_not_the_sum_of_the_commits_stay_as_published(folder: Path) -> None:
    fix = read_any(folder).fixes.filter(repository="pytorch/pytorch", number=102)
    assert fix.select("commits", "additions", "deletions", "changes").row(0) == (1, 100, 20, 120)


def test_a_remark_behind_an_issue_number_and_a_slip_of_spelling_are_understood(
    folder: Path,
) -> None:
    taxonomy = read_any(folder).taxonomy
    columns = ("repository", "number", "category", "subcategory", "remark", "occurrence")
    memory = ("Memory inefficiency", "Unreleased memory resources", "2 bugs")
    assert taxonomy.select(columns).rows() == [
        ("pytorch/pytorch", 101, *memory, 1),
        ("pytorch/pytorch", 101, *memory, 2),
        ("tensorflow/tensorflow", 101, "Inefficient caching", None, None, 1),
        ("tensorflow/tensorflow", 102, "C/C++ abstraction", None, None, 1),
        ("pytorch/pytorch", 17502, "Other", None, None, 1),
        ("pytorch/pytorch", 7, "Other", None, None, 1),
    ]
    assert "Ineffcient caching" in taxonomy["published_category"].to_list()


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("pytorch_perf_bugs_information.csv", "101,", "1O1,", "'1O1' is not an issue number"),
        (
            "pytorch_perf_bugs_information.csv",
            "2017-01-01 3:00",
            "1/1/2017 3:00",
            "opening time '1/1/2017 3:00' is not a time such as 2018-07-30 14:42",
        ),
        ("pytorch_perf_bugs_information.csv", "14400.5", "Not found", "do not agree"),
        ("pytorch_perf_bugs_information.csv", "{'bob': 2}", "bob", "are not a list of logins"),
        ("pytorch_non_perf_bugs_information.csv", "104,", "101,", "issue 101 is listed already"),
        ("pytorch_non_perf_bugs_information.csv", ",2,2017", ",2,,2017", "13 cells instead of 12"),
        ("pytorch_perf_fixes_information.csv", "101,", "104,", "issue 104 is not in pytorch_perf"),
        ("pytorch_perf_fixes_information.csv", "102,", "101,", "fix of issue 101 is listed"),
        ("pytorch_perf_fixes_information.csv", ",30,", ",-30,", "additions '-30' is not a whole"),
        ("pytorch_open_perf_trend_analysis.csv", "2017-03", "2017-02", "2017-02 is listed already"),
        ("pytorch_open_perf_trend_analysis.csv", "2017-03", "2017-13", "'2017-13' is not a month"),
        ("perf_bugs_taxonomy.csv", "Pytorch", "PyTorch3", "'PyTorch3' is not a framework"),
        ("perf_bugs_taxonomy.csv", "17502", "two", "'two' is not an issue number"),
    ],
)
def test_a_row_that_cannot_be_read_is_a_reject_with_its_line_and_reason(
    folder: Path, file: str, old: str, new: str, reason: str
) -> None:
    whole = read_any(folder)
    replace_in(folder / file, old, new)
    package = read_any(folder)
    reject = package.rejected_rows.filter(file=file, part=0).row(0, named=True)
    assert reason in reject["reason"]
    assert reject["dataset"] == "replication"
    text = (folder / file).read_text(encoding="utf-8").splitlines()
    assert text[reject["line"] - 1] == reject["text"]
    rejected = package.rejected_rows.filter(part=0).height
    rows = [name for name in whole.frames if name not in ("rejected_rows", "fix_commits")]
    kept = sum(package.frames[name].height for name in rows)
    assert kept + rejected == sum(whole.frames[name].height for name in rows)


def test_a_commit_that_cannot_be_read_is_a_reject_of_its_own(folder: Path) -> None:
    replace_in(folder / "pytorch_perf_fixes_information.csv", "2017-02-01 23:30", "yesterday")
    package = read_any(folder)
    (reject,) = package.rejected_rows.rows(named=True)
    assert (reject["line"], reject["part"]) == (2, 1)
    assert "issue 101" in reject["reason"]
    assert reject["text"].startswith(f"({sha('a')}, yesterday")
    assert package.fixes.height == 10
    assert package.fix_commits.height == 13


def test_a_folder_with_one_framework_gives_that_one(tmp_path: Path) -> None:
    package = read_any(write_package(tmp_path, "tensorflow"))
    assert set(package.bugs["repository"]) == {"tensorflow/tensorflow"}


def test_a_folder_that_is_none_of_the_package_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == (
        f"{tmp_path / 'none'}: this folder does not exist; name the one with the CSV files"
    )
    assert "none of the published files is there" in refusal(tmp_path)


@pytest.mark.parametrize("file", ["pytorch_open_perf_trend_analysis.csv", "perf_bugs_taxonomy.csv"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert refusal(folder).startswith(f"{folder / file}: the file is missing")


def test_a_file_that_is_cut_short_is_named_with_its_line(folder: Path) -> None:
    path = folder / "tensorflow_perf_bugs_information.csv"
    content = path.read_bytes()
    for length in (len(content) - 1, len(content) - 30, len(content) // 2):
        path.write_bytes(content[:length])
        assert refusal(folder, accept_changes=True).startswith(f"{path}: the file is cut short")
    path.write_bytes(b"")
    assert "the file is empty" in refusal(folder, accept_changes=True)


def test_a_changed_column_is_named(folder: Path) -> None:
    path = folder / "pytorch_perf_fixes_information.csv"
    replace_in(path, "Number.of.issue.solving.commits.found", "Commits")
    assert refusal(folder, accept_changes=True) == (
        f"{path}: column 2 is 'Commits' instead of 'Number.of.issue.solving.commits.found'; "
        "the file is not the published one"
    )


def test_content_that_differs_from_the_published_is_refused_unless_accepted(folder: Path) -> None:
    message = refusal(folder)
    assert message.startswith(
        f"{folder / 'pytorch_perf_bugs_information.csv'}: the content differs"
    )
    assert "--accept-changes" in message


def test_only_text_files_are_read(folder: Path) -> None:
    path = folder / "pytorch_perf_bugs_information.csv"
    path.write_bytes(path.read_bytes().replace(b"ann", b"a\xff"))
    assert "not valid UTF-8" in refusal(folder, accept_changes=True)


@pytest.mark.slow
def test_a_byte_changed_in_a_published_file_is_named(tmp_path: Path) -> None:
    if not PYTORCH_PACKAGE.is_dir():
        pytest.skip(f"the published PyTorch files are not at {PYTORCH_PACKAGE}")
    for path in PYTORCH_PACKAGE.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert read_package(tmp_path).bugs.height == 16_284
    changed = tmp_path / "pytorch_perf_fixes_information.csv"
    replace_in(changed, "311, 20, 331", "312, 20, 331")
    assert refusal(tmp_path).startswith(f"{changed}: the content differs from the published file")


def test_all_thirteen_published_files_are_pinned() -> None:
    assert len(pinned().sums) == 13
    assert len(pinned().commit) == 40
    assert all(len(digest) == 64 for digest in pinned().sums.values())
    assert pinned().address("a.csv").endswith(f"/{pinned().commit}/a.csv")


@pytest.fixture
def served(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def source_of(folder: Path, url: str) -> Pinned:
    sums = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.csv")
    }
    return Pinned("owner/name", "c" * 40, url + "/{file}", sums, {})


def test_a_download_appears_whole_and_is_not_repeated(
    folder: Path, served: str, tmp_path: Path
) -> None:
    source = source_of(folder, served)
    place = fetch_package(tmp_path / "home", source)
    assert {path.name for path in place.iterdir()} == set(source.sums)
    nowhere = Pinned(source.repository, source.commit, "http://127.0.0.1:9/{file}", source.sums, {})
    assert fetch_package(tmp_path / "home", nowhere) == place


def test_a_download_with_another_sum_is_refused_and_leaves_no_package(
    folder: Path, served: str, tmp_path: Path
) -> None:
    source = source_of(folder, served)
    replace_in(folder / "perf_bugs_taxonomy.csv", "17502", "17503")
    with pytest.raises(PerfAssetsError, match=r"perf_bugs_taxonomy\.csv: what came differs"):
        fetch_package(tmp_path / "home", source)
    assert list((tmp_path / "home").iterdir()) == []


def test_without_network_the_sentence_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    source = source_of(folder, "http://127.0.0.1:9")
    with pytest.raises(PerfAssetsError, match=r"cannot be downloaded .* folder .* by --data"):
        fetch_package(tmp_path, source)


@pytest.mark.slow
def test_published_files_of_pytorch_lose_no_row() -> None:
    if not PYTORCH_PACKAGE.is_dir():
        pytest.skip(f"the published PyTorch files are not at {PYTORCH_PACKAGE}")
    package = read_package(PYTORCH_PACKAGE)
    assert package.rejected_rows.is_empty()
    for file, loaded in (
        pl.concat(
            frame.select("file", "line").unique()
            for name, frame in package.frames.items()
            if name not in ("rejected_rows", "fix_commits")
        )
        .group_by("file")
        .len()
        .iter_rows()
    ):
        lines = (PYTORCH_PACKAGE / file).read_text(encoding="utf-8").splitlines()
        assert loaded == len(lines) - 1, file
