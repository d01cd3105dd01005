"""The analysis of fixes as it is stored: once per commit, whatever happens in between."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.inspection import CommitInspection
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.szz.ignored import LISTED_IN
from perf_assets.stages.enrichment import details as detailing
from perf_assets.stages.enrichment.details import MERGE, TABLES, detail_fixes
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.git_repositories import FILE, Made, make
from tests.model_database import insert
from tests.rows import label, link, load
from tests.rows import repository as study_row
from tests.support import stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

REPOSITORY = "owner/name"
MONTHS = ["2020-01", "2020-02", "2020-03"]
NOON = {month: 1_577_880_000 + 31 * 86_400 * index for index, month in enumerate(MONTHS)}


@dataclass
class Study:
    """A repository with two commits a month and a merge at the end, mined into a warehouse."""

    data_dir: DataDirectory
    repository: Path
    shas: list[str]
    looked_at: list[str] = field(default_factory=list)

    @contextmanager
    def writer(self) -> Iterator[AuditedWriter]:
        with open_warehouse(self.data_dir.warehouse) as database:
            yield AuditedWriter(database, self.data_dir)

    def detail(self, *months: str) -> list[WriteOutcome]:
        with self.writer() as writer:
            return list(detail_fixes(writer, self.repository, REPOSITORY, months or MONTHS))

    def link(self, *numbers_and_shas: tuple[int, str], counted: bool = True) -> None:
        with self.writer() as writer:
            months = dict(writer.database.frame("SELECT sha, month FROM raw.commits").rows())
            rows = [
                {**link(number, "x", is_counted=counted), "sha": sha, "month": months[sha]}
                for number, sha in numbers_and_shas
            ]
            insert(writer.database.connection, "links.fix_links", rows)

    def execute(self, statement: str) -> None:
        with self.writer() as writer:
            writer.database.connection.execute(statement)

    def stored(self) -> dict[str, pl.DataFrame]:
        tables = stored_tables(self.data_dir.warehouse)
        return {name: tables[name] for name in (*TABLES, "meta.partition_loads")}


def text(number: int) -> bytes:
    return b"def f(x):\n" + b"".join(b"    x += %d\n" % n for n in range(number, number + 8))


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    made = make_study(tmp_path)

    def recorded(clone: Path, shas: Sequence[str], listed: Collection[str]) -> Any:
        made.looked_at += shas
        return real(clone, shas, listed)

    real = detailing.inspect_commits
    monkeypatch.setattr(detailing, "inspect_commits", recorded)
    return made


def make_study(directory: Path) -> Study:
    directory.mkdir(exist_ok=True)
    repository = directory / "source.git"
    commits = [
        Made({b"a.py": (FILE, text(2 * index + which))}, [], when=f"{moment + 3600 * which} +0000")
        for index, moment in enumerate(NOON.values())
        for which in range(2)
    ]
    for number, commit in enumerate(commits[1:]):
        commit.parents = [number]
    side = Made({b"b.py": (FILE, text(1)), b"a.py": (FILE, text(4))}, [4], when=commits[4].when)
    both = {b"a.py": (FILE, text(5)), b"b.py": (FILE, text(1))}
    merge = Made(both, [5, 6], when=f"{NOON['2020-03'] + 7200} +0000")
    shas = make(repository, [*commits, side, merge])
    study = Study(DataDirectory.of(directory / "home"), repository, shas)
    with study.writer() as writer:
        fill(writer.database, repository, shas[-1])
    return study


def fill(database: Database, repository: Path, tip: str) -> None:
    for commits, files in read_commits(Clone(repository, "", "main", tip)):
        for table, rows in (("raw.commits", commits), ("raw.commit_files", files)):
            database.upsert(table, rows.with_columns(repository=pl.lit(REPOSITORY)))
    insert(database.connection, "meta.repositories", [study_row()])
    insert(database.connection, "labels.performance_labels", [label(1), label(2)])
    insert(database.connection, "labels.performance_labels", [label(3, is_bug_report=False)])
    rows = [load(month, "links.fix_links") for month in MONTHS]
    insert(database.connection, "meta.partition_loads", rows)


def test_fixes_of_bug_reports_are_looked_at_and_nothing_else(study: Study) -> None:
    first, second, third, *_, merge = study.shas
    study.link((1, second), (2, second), (3, third), (2, merge))
    study.link((2, first), counted=False)
    assert all(outcome.failure is None for outcome in study.detail())
    details = study.stored()["details.commit_metrics"]
    assert set(details["sha"]) == {first, second, merge}
    by_sha = {row["sha"]: row for row in details.iter_rows(named=True)}
    assert by_sha[second]["changed_methods"] == ["a.py::f( x )"]
    assert by_sha[second]["removed_lines"] == 1
    assert by_sha[second]["languages"] == [
        {"language": "Python", "is_test": False, "files": 1, "additions": 1, "deletions": 1}
    ]
    assert by_sha[second]["test_share"] == 0.0
    assert by_sha[merge]["not_analysed"] == by_sha[merge]["not_traced"] == MERGE
    assert by_sha[merge]["methods_changed"] is by_sha[merge]["removed_lines"] is None
    assert [one["files"] for one in by_sha[merge]["languages"]] == [1]
    (origin,) = study.stored()["details.introducing_commits"].rows(named=True)
    assert (origin["sha"], origin["introducing_sha"]) == (second, first)
    assert origin["introduced_at"].timestamp() == NOON["2020-01"]


def test_a_commit_is_looked_at_once(study: Study) -> None:
    study.link(*((1, sha) for sha in study.shas[:4]))
    study.detail()
    before = study.stored()
    study.link(*((2, sha) for sha in study.shas[:5]))
    study.looked_at.clear()
    assert len(study.detail()) == 1
    assert study.looked_at == [study.shas[4]]
    study.looked_at.clear()
    assert study.detail() == []
    assert study.looked_at == []
    after = study.stored()["details.commit_metrics"]
    assert after.filter(pl.col("month") < "2020-03").equals(
        before["details.commit_metrics"].filter(pl.col("month") < "2020-03")
    )


def test_fixes_whose_lines_lead_to_a_listed_commit_are_analysed_again(study: Study) -> None:
    study.link(*((1, sha) for sha in study.shas[:4]))
    study.detail()
    before = study.stored()["details.introducing_commits"]
    concerned = before.filter(introducing_sha=study.shas[0])["sha"].unique().to_list()
    assert sorted(concerned) == sorted(study.shas[1:4])
    for listed, again, is_ignored in (
        (study.shas[0], concerned, True),
        (study.shas[5], concerned, False),
        ("", [], False),
    ):
        files = {LISTED_IN.encode(): (FILE, f"{listed}\n".encode())}
        make(study.repository, [Made(files)])
        for expected in (again, []):
            study.looked_at.clear()
            study.detail()
            assert sorted(study.looked_at) == sorted(expected)
        origins = study.stored()["details.introducing_commits"]
        assert origins.filter("is_ignored").height == len(concerned) * is_ignored
        assert origins.drop("is_ignored").equals(before.drop("is_ignored"))


def test_nothing_stays_of_a_commit_that_is_no_longer_a_fix(study: Study) -> None:
    study.link((1, study.shas[1]), (1, study.shas[3]), (2, study.shas[3]))
    study.detail()
    study.execute(f"DELETE FROM links.fix_links WHERE sha = '{study.shas[1]}'")
    study.execute(
        "UPDATE labels.performance_labels SET is_bug_report = false, not_a_bug_by = 'label' "
        "WHERE number = 1"
    )
    study.looked_at.clear()
    study.detail()
    assert study.looked_at == []
    assert set(study.stored()["details.commit_metrics"]["sha"]) == {study.shas[3]}
    assert set(study.stored()["details.introducing_commits"]["sha"]) == {study.shas[3]}


@pytest.mark.exhaustive
def test_a_run_that_was_killed_is_finished_by_the_next_one(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detailing, "FIXES_AT_ONCE", 1)
    links = [(1, sha) for sha in study.shas[1:]]
    study.link(*links)
    undisturbed = make_study(tmp_path / "undisturbed")
    undisturbed.link(*links)
    undisturbed.detail()
    for _ in range(2):
        with study.writer() as writer:
            outcomes = detail_fixes(writer, study.repository, REPOSITORY, MONTHS)
            next(outcomes)
            outcomes.close()  # type: ignore[attr-defined]
    study.looked_at.clear()
    study.detail()
    assert set(study.looked_at) == {study.shas[4], study.shas[5], study.shas[6]}
    for name, rows in study.stored().items():
        assert rows.equals(undisturbed.stored()[name]), name


def test_months_before_the_first_are_left_alone_and_later_ones_are_not(study: Study) -> None:
    study.link(*((1, sha) for sha in study.shas[:6]))
    study.detail("2020-02")
    assert set(study.stored()["details.commit_metrics"]["month"]) == {"2020-02", "2020-03"}


def test_another_version_of_code_or_libraries_looks_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.link((1, study.shas[1]))
    study.detail()
    monkeypatch.setattr(detailing, "rule_version", lambda: "others")
    study.looked_at.clear()
    study.detail()
    assert study.looked_at == [study.shas[1]]


def test_what_cannot_be_analysed_is_kept_with_its_reason_and_not_tried_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.link((1, study.shas[1]))

    def failing(clone: Path, shas: Sequence[str], _: Collection[str]) -> Iterator[CommitInspection]:
        study.looked_at.extend(shas)
        trace = detailing.Trace(problem="it takes longer than 120 seconds")
        yield from (
            CommitInspection(sha, problem="RecursionError: too deep", trace=trace) for sha in shas
        )

    monkeypatch.setattr(detailing, "inspect_commits", failing)
    for _ in range(2):
        assert all(outcome.failure is None for outcome in study.detail())
    assert study.looked_at == [study.shas[1]]
    (row,) = study.stored()["details.commit_metrics"].rows(named=True)
    assert row["not_analysed"] == "RecursionError: too deep"
    assert row["not_traced"] == "it takes longer than 120 seconds"
    assert row["languages"] != [] and row["methods_changed"] is None


def test_a_fix_without_files_has_no_languages_and_no_share(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    study.execute(f"DELETE FROM raw.commit_files WHERE sha = '{study.shas[1]}'")
    study.link((1, study.shas[1]))
    assert all(outcome.failure is None for outcome in study.detail())
    (row,) = study.stored()["details.commit_metrics"].rows(named=True)
    assert (row["languages"], row["test_share"]) == ([], None)
