"""A refresh ships the months in which something changed, and of the others nothing at all."""

from datetime import timedelta
from pathlib import Path

import pytest

from perf_assets.base.months import months_between
from perf_assets.config.data_directory import DataDirectory
from perf_assets.lake.location import Lake
from perf_assets.lake.push import push
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.stages.mining.issues import load_issues
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.storage.audited_writer import AuditedWriter
from tests.lakes import memory
from tests.tracker_state_machine import NAME, Life

pytestmark = pytest.mark.slow

MONTHS = months_between("2020-01", "2020-04")


def test_an_update_newer_than_all_before_ships_its_own_month_alone(tmp_path: Path) -> None:
    life, lake, database = Life(1), Lake.of(str(tmp_path / "lake")), memory()
    writer = AuditedWriter(database, DataDirectory(tmp_path))
    with CorpusServer([life.corpus()], limit=10**9) as server:

        def shipped() -> tuple[str, ...]:
            server.replace([life.corpus()])
            source = GitHubIssues(GitHubClient(server.url, "t0ken"), NAME)
            assert not [one.failure for one in load_issues(writer, source, MONTHS) if one.failure]
            return push(database, lake, NAME).months

        for _ in range(40):
            life.now += timedelta(days=3)
            life.open()
        assert shipped() == tuple(MONTHS)
        assert shipped() == ()
        life.edit_one_of("2020-02")
        assert shipped() == ("", "2020-02")
