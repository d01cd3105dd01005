"""A subject is one worker's at a time; a lease ends by itself, and whose was lost is told."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from perf_assets.base.errors import TransientError
from perf_assets.lake import leases
from perf_assets.lake.leases import leased
from perf_assets.lake.location import Lake
from perf_assets.lake.push import push
from perf_assets.lake.snapshots import released
from tests.lakes import ENTRY, begun, fill, in_processes, kill_this_process, memory

pytestmark = pytest.mark.slow

SUBJECT = "owner/one"
SECONDS = 1.0
LONG_SECONDS = 9.0  # renewed after three, in time on a busy machine too


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake.of(str(tmp_path / "lake"))


def hold_and_die(lake: Lake, seconds: float) -> None:
    with leased(lake, SUBJECT, "worker that dies", seconds=seconds):
        kill_this_process()


def take(lake: Lake, worker: str, begin: float, refused: Path, others: int) -> None:
    """Hold the lease until all others were refused."""
    time.sleep(max(0.0, begin - time.time()))
    try:
        with leased(lake, SUBJECT, worker):
            wait_until(lambda: len(list(refused.iterdir())) == others)
    except TransientError:
        (refused / worker).touch()
        raise SystemExit(3) from None


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def let_pass(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the clock by which leases end."""

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + timedelta(seconds=seconds)

    monkeypatch.setattr(leases, "datetime", Later)


def test_the_second_worker_learns_who_has_it_and_until_when(lake: Lake) -> None:
    with (
        leased(lake, SUBJECT, "first"),
        pytest.raises(
            TransientError, match=r"owner/one is being mined by first at least until 20\d"
        ),
        leased(lake, SUBJECT, "second"),
    ):
        raise AssertionError("both have it")
    with leased(lake, SUBJECT, "second"), leased(lake, "owner/two", "first"):
        pass


def test_a_lease_is_renewed_for_as_long_as_the_work_takes(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with leased(lake, SUBJECT, "first", seconds=LONG_SECONDS) as lease:
        first_deadline = lease.deadline
        wait_until(lambda: lease.deadline > first_deadline)
        let_pass(first_deadline - time.monotonic(), monkeypatch)
        with pytest.raises(TransientError, match="by first"), leased(lake, SUBJECT, "second"):
            raise AssertionError("both have it")
        lease.check()


def test_the_same_worker_has_it_again_at_once_and_the_older_one_is_reported(lake: Lake) -> None:
    data_dir = memory()
    fill(data_dir, {(SUBJECT, "2020-01"): [ENTRY]})
    with (
        leased(lake, SUBJECT, "first", seconds=LONG_SECONDS) as older,
        leased(lake, SUBJECT, "first", seconds=60) as newer,
    ):
        wait_until(lambda: older.loss is not None)
        with pytest.raises(TransientError, match=r"lease of first .* is lost .first has it"):
            push(data_dir, lake, SUBJECT, older)
        assert released(lake, ["raw.issues"]).tables["raw.issues"].rows == 0
        assert push(data_dir, lake, SUBJECT, newer).rows > 0


def test_the_lease_of_a_worker_that_was_killed_ends_by_itself(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = begun(hold_and_die, lake, 600.0)
    process.join(120)
    assert process.exitcode == -9
    with pytest.raises(TransientError, match="worker that dies"), leased(lake, SUBJECT, "another"):
        raise AssertionError("both have it")
    let_pass(600, monkeypatch)
    with leased(lake, SUBJECT, "another"):
        pass


def test_a_lease_that_cannot_be_renewed_is_lost(lake: Lake) -> None:
    data_dir = memory()
    fill(data_dir, {(SUBJECT, "2020-01"): [ENTRY]})
    with leased(lake, SUBJECT, "first", seconds=SECONDS) as lease:
        logs = Path(lake.url)
        logs.rename(logs.with_name("away"))
        time.sleep(1.2 * SECONDS)
        with pytest.raises(TransientError, match="could not be renewed in time"):
            lease.check()
        logs.with_name("away").rename(logs)
        with pytest.raises(TransientError, match="could not be renewed in time"):
            push(data_dir, lake, SUBJECT, lease)


def test_one_of_many_simultaneous_writers_gets_the_lock(lake: Lake, tmp_path: Path) -> None:
    with leased(lake, "owner/other", "to make the lake"):
        pass
    begin, refused = time.time() + 1.5, tmp_path / "refused"
    refused.mkdir()
    workers = [(lake, f"w{n}", begin, refused, 3) for n in range(4)]
    assert sorted(in_processes(take, workers)) == [0, 3, 3, 3]
