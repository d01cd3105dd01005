"""A git that gets nothing to do, from a server or from a disk, is ended; one that works is not."""

import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from perf_assets.base.errors import TransientError
from perf_assets.base.processes import child
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.command import IdleError, local_environment, run, streamed
from tests.effort import some
from tests.git_repositories import FILE, Made, git, make

pytestmark = pytest.mark.slow

SECONDS = 1.5
PIPE = 1 << 16  # bytes that wait in it


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "IDLE_SECONDS", SECONDS)
    monkeypatch.setattr(child, "IDLE_CHECK_SECONDS", 0.1)
    # On a busy machine a process that works gets a tenth of a processor.
    monkeypatch.setattr(child, "LEAST_PROCESSOR_SECONDS", 0.1)


@contextmanager
def served(repository: Path, whole: int, then: str) -> Iterator[str]:
    """The address of a server that answers ``whole`` questions, and of the next one so much."""
    server = socket.create_server(("127.0.0.1", 0))
    left = [whole]

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            length = int(connection.recv(4, socket.MSG_WAITALL), 16)
            connection.recv(length - 4, socket.MSG_WAITALL)
            is_whole = left[0] > 0
            left[0] -= 1
            pack = subprocess.Popen(
                ["git", "upload-pack", str(repository)],
                stdin=connection,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=local_environment(),
            )
            assert pack.stdout is not None
            sent = 0
            while chunk := pack.stdout.read1(1 if not is_whole else 1 << 16):
                if not is_whole and (then == "nothing" or (then == "a part" and sent > 3000)):
                    time.sleep(60)
                connection.sendall(chunk)
                sent += len(chunk)
                if not is_whole and then == "a byte now and then" and sent > 3000:
                    time.sleep(0.05)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=answer, args=[connection], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/x.git"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    content = random.Random(0).randbytes(200_000)
    make(tmp_path / "source.git", [Made({b"a": (FILE, content)})])
    return tmp_path / "source.git"


@pytest.mark.parametrize("then", some("nothing", "a part", "a byte now and then"))
def test_a_server_that_says_no_more_is_given_up_and_nothing_is_left(
    then: str, source: Path, tmp_path: Path
) -> None:
    with (
        served(source, 1, then) as url,
        pytest.raises(TransientError, match=r"no progress in 1\.5 s"),
    ):
        update_clone(url, tmp_path / "clone.git")
    assert {path.name for path in tmp_path.iterdir()} <= {"clone.git.lock", "source.git"}
    with served(source, 2, then) as url:
        assert update_clone(url, tmp_path / "clone.git").is_updated


@pytest.mark.parametrize("then", some("a byte now and then", "a part", "nothing"))
def test_a_clone_that_cannot_be_updated_stays_as_it_was(
    then: str, source: Path, tmp_path: Path
) -> None:
    clone = update_clone(str(source), tmp_path / "clone.git")
    more = random.Random(1).randbytes(200_000)
    (tip,) = make(source, [Made({b"b": (FILE, more)})])
    with (
        served(source, 1, then) as url,
        pytest.raises(TransientError, match=r"no progress in 1\.5 s"),
    ):
        update_clone(url, clone.path)
    assert git(clone.path, "rev-parse", "HEAD") == clone.tip
    assert update_clone(str(source), clone.path).tip == tip
    assert not list(clone.path.glob("objects/pack/tmp_*"))


@pytest.mark.exhaustive
def test_a_git_that_works_or_waits_to_be_read_is_not_ended(tmp_path: Path) -> None:
    busy = [sys.executable, "-c", "import time; e = time.time() + 3\nwhile time.time() < e: pass"]
    assert run(busy, local_environment()) == b""
    many = [sys.executable, "-c", f"print('x' * {4 * PIPE})"]
    with streamed(many, local_environment(), b"") as output:
        time.sleep(2 * SECONDS)
        assert len(output.read()) == 4 * PIPE + 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_streamed", some(True, False))
def test_a_git_that_does_nothing_is_ended_with_what_it_started(*, is_streamed: bool) -> None:
    command = ["sh", "-c", "trap '' TERM; sleep 60 & sleep 60"]
    began = time.monotonic()
    with pytest.raises(IdleError, match=r"no progress in 1\.5 s"):
        if is_streamed:
            with streamed(command, local_environment(), b"") as output:
                output.read()
        else:
            run(command, local_environment())
    assert time.monotonic() - began < 20
