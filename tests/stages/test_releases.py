"""Releases as they are stored: of every month, whatever happens to tags and fixes in between."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.sources.git.clone import update_clone
from perf_assets.stages.enrichment.releases import find_releases
from perf_assets.stages.mining.releases import mine_releases
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.git_repositories import FILE, Made, git, make
from tests.model_database import insert
from tests.rows import detail, issue, label, load, origin

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

REPOSITORY = "owner/name"
MONTHS = ["2020-01", "2020-02", "2020-03", "2020-04"]
NOON = {month: 1_577_880_000 + 31 * 86_400 * index for index, month in enumerate(MONTHS)}


@dataclass
class Study:
    """A repository with a commit each month; the second took back lines of the first."""

    data_dir: DataDirectory
    source: Path
    shas: list[str]

    @contextmanager
    def writer(self) -> Iterator[AuditedWriter]:
        with open_warehouse(self.data_dir.warehouse) as database:
            yield AuditedWriter(database, self.data_dir)

    def run(self) -> tuple[list[str], list[str]]:
        """Bring all up to date; the months of raw and of details that were written."""
        with self.writer() as writer:
            update_clone(str(self.source), writer.data_dir.clone(REPOSITORY))
            subject = Repository(
                name=REPOSITORY, git=str(self.source), start=MONTHS[0], end=MONTHS[-1]
            )
            mined = list(mine_releases(writer, subject, MONTHS))
            found = list(find_releases(writer, subject))
        assert all(outcome.failure is None for outcome in (*mined, *found))
        return tuple(
            sorted({str(outcome.month) for outcome in outcomes if outcome.is_written})
            for outcomes in (mined, found)
        )

    def tag(self, name: str, sha: str) -> None:
        git(self.source, "update-ref", f"refs/tags/{name}", sha)

    def drop(self, name: str) -> None:
        git(self.source, "update-ref", "-d", f"refs/tags/{name}")

    def rows(self, query: str) -> list[tuple]:
        with self.writer() as writer:
            return writer.database.frame(query).rows()

    def tags(self) -> list[tuple]:
        columns = "tag, release_kind, is_on_default_branch, month"
        return self.rows(f"select {columns} from raw.releases order by tag")

    def released(self) -> dict[str, tuple]:
        columns = "sha, first_release, copied_as, exposed_releases"
        rows = self.rows(f"select {columns} from details.commit_releases")
        return {sha: tuple(rest) for sha, *rest in rows}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    source = tmp_path / "source.git"
    commits = [
        Made(
            {b"a.py": (FILE, b"%d\n" % number)},
            [number - 1][:number],
            b"Step %d" % number,
            when=f"{moment} +0000",
        )
        for number, moment in enumerate(NOON.values())
    ]
    shas = make(source, commits)
    study = Study(DataDirectory.of(tmp_path / "home"), source, shas)
    with study.writer() as writer:
        connection = writer.database.connection
        insert(connection, "details.commit_metrics", [detail("x", sha=shas[1], month=MONTHS[1])])
        lines = origin("x", "y", "2020-01-01T12:00:00Z", month=MONTHS[1])
        lines |= {"sha": shas[1], "introducing_sha": shas[0]}
        insert(connection, "details.introducing_commits", [lines])
        insert(connection, "labels.performance_labels", [label(1)])
        insert(connection, "raw.issues", [issue(1, "2020-01-10T00:00:00Z", title="slow since 1.0")])
        loads = [load(month, "details.commit_metrics") for month in MONTHS]
        loads.append(load(MONTHS[0], "labels.performance_labels"))
        insert(connection, "meta.partition_loads", loads)
    return study


def test_tags_of_old_months_are_followed(study: Study) -> None:
    first, fix, third, fourth = study.shas
    assert study.run() == ([], [MONTHS[1]])
    assert study.released() == {fix: (None, None, None), first: (None, None, 0)}
    study.tag("v1.0", first)
    study.tag("v2.0", fourth)
    study.tag("ciflow/trunk/1", fourth)
    assert study.run() == ([MONTHS[0], MONTHS[3]], [MONTHS[0], MONTHS[1]])
    assert study.tags() == [
        ("v1.0", "final", True, MONTHS[0]),
        ("v2.0", "final", True, MONTHS[3]),
    ]
    assert study.released() == {fix: ("v2.0", None, None), first: ("v1.0", None, 1)}
    assert study.rows("select number, stated_release from details.stated_releases") == [(1, "v1.0")]
    assert study.run() == ([], [])

    study.tag("v1.1", fix)
    assert study.run() == ([MONTHS[1]], [MONTHS[1]])
    assert study.released()[fix] == ("v1.1", None, None)
    study.tag("v1.1", third)
    study.drop("v1.0")
    assert study.run() == ([MONTHS[0], MONTHS[1], MONTHS[2]], [MONTHS[0], MONTHS[1]])
    assert study.released() == {fix: ("v1.1", None, None), first: ("v1.1", None, 0)}
    assert study.rows("from details.stated_releases") == []


def test_a_release_that_changes_nothing_of_a_month_writes_nothing_of_it(study: Study) -> None:
    study.tag("v1.0", study.shas[1])
    study.run()
    study.tag("v3.0", study.shas[3])
    assert study.run() == ([MONTHS[3]], [MONTHS[1]])  # the first now has a successor
    study.tag("v4.0", study.shas[3])
    assert study.run() == ([MONTHS[3]], [])


def test_a_copy_on_a_branch_that_is_gone_counts(study: Study) -> None:
    first, fix, _, fourth = study.shas
    git(study.source, "update-ref", "refs/heads/stable", first)
    copy = Made({b"a.py": (FILE, b"1\n")}, [], b"Step 1", when=f"{NOON[MONTHS[1]]} +0000")
    copy.branch = "side"
    (copied,) = make(study.source, [copy])
    study.tag("v1.0.1", copied)
    git(study.source, "update-ref", "-d", "refs/heads/side")
    study.tag("v1.0", first)
    study.tag("v2.0", fourth)
    study.run()
    assert study.released() == {fix: ("v1.0.1", copied, None), first: ("v1.0", None, 1)}
    assert ("v1.0.1", "final", False, MONTHS[1]) in study.tags()


def test_a_clone_that_was_deleted_is_made_again(study: Study, tmp_path: Path) -> None:
    study.tag("v1.0", study.shas[3])
    study.run()
    with study.writer() as writer:
        clone = writer.data_dir.clone(REPOSITORY)
        clone.rename(tmp_path / "elsewhere.git")
        subject = Repository(
            name=REPOSITORY, git=str(study.source), start=MONTHS[0], end=MONTHS[-1]
        )
        assert list(find_releases(writer, subject)) == []
        assert clone.exists()
