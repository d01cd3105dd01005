"""A load or a refresh that is killed at any moment goes on where it was."""

import random
import time
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from perf_assets.base.months import months_between
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.reply import Reply
from tests import loading_process
from tests.effort import KILLS
from tests.github_stand_in import batches_of
from tests.support import VALIDATING
from tests.tracker_state_machine import NAME, Life

pytestmark = pytest.mark.slow

MONTHS = months_between("2020-01", "2020-04")
ISSUES, CHANGED = 2400, 1400
READ_TWICE = 1000  # at most, for each kill
REQUESTS = {ISSUES: 30, CHANGED: 16}  # about


class CountingServer(CorpusServer):
    """Counts the issues it gives."""

    def __init__(self, life: Life) -> None:
        super().__init__([life.corpus()], limit=10**9)
        self.given: list[int] = []

    def answer(self, *arguments: Any) -> Reply:
        reply = super().answer(*arguments)
        self.given.append(reply.body.count(b'"stateReason"'))
        return reply


@pytest.mark.exhaustive
def test_what_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    chance = random.Random(KILLS)
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.loading_process", VALIDATING])
    kills = 0
    while kills < KILLS:
        life = tracker()
        data_dir = tmp_path / f"home-{kills}"
        data_dir.mkdir()
        with CountingServer(life) as server:
            for expected, requests in REQUESTS.items():
                server.given.clear()
                killed = finish(context, server, data_dir, chance, requests)
                assert sum(server.given) <= expected + killed * READ_TWICE + len(MONTHS)
                assert_equals_a_fresh_load(data_dir, server)
                kills += killed
                change(life, chance)
                server.replace([life.corpus()])


def tracker() -> Life:
    """As many issues in each month, of which some have comments."""
    life = Life(2)
    for _ in range(ISSUES):
        life.now += timedelta(days=121) / ISSUES
        life.open()
        if life.chance.random() < 0.3:
            life.comment()
    return life


def change(life: Life, chance: random.Random) -> None:
    """Other titles for ``CHANGED`` issues, one after the other."""
    for number in chance.sample(sorted(life.issues), CHANGED):
        life.now += timedelta(seconds=2)
        life.issues[number] |= {"title": "Edited", "updated_at": f"{life.now:%Y-%m-%dT%H:%M:%SZ}"}


def finish(
    context: Any, server: CorpusServer, data_dir: Path, chance: random.Random, requests: int
) -> int:
    """Kill a few runs within their first ``requests``, then let one end; how many were killed."""
    killed = 0
    for _ in range(3):
        process = start(context, server, data_dir)
        reached = len(server.requests) + chance.randrange(requests)
        while process.is_alive() and len(server.requests) < reached:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.2))
        killed += process.is_alive()
        process.kill()
        process.join()
    process = start(context, server, data_dir)
    process.join()
    assert process.exitcode == 0
    return killed


def start(context: Any, server: CorpusServer, data_dir: Path) -> Any:
    process = context.Process(
        target=loading_process.load, args=(server.url, data_dir, NAME, MONTHS), daemon=True
    )
    process.start()
    return process


def assert_equals_a_fresh_load(data_dir: Path, server: CorpusServer) -> None:
    source = GitHubIssues(GitHubClient(server.url), NAME)
    batches = batches_of(source, source.counts(MONTHS))
    with duckdb.connect(str(data_dir / "warehouse.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for name, key in (("issues", "number"), ("comments", "comment_id"), ("events", "event_id")):
            fresh = pl.concat([getattr(batch, name) for batch in batches])
            table = "raw.issues" if name == "issues" else f"raw.issue_{name}"
            stored = connection.sql(f"SELECT {', '.join(fresh.columns)} FROM {table}").pl()
            assert stored.cast(dict(fresh.schema)).sort(key).equals(fresh.sort(key)), name  # type: ignore[arg-type]
