"""A lake that is full, read-only, damaged, slow or refuses: one sentence, and nothing is torn."""

import http.client
import http.server
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.lake.leases import leased
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import maintain
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.lake.releases import needed
from perf_assets.lake.snapshots import released
from perf_assets.storage.warehouse import Database
from tests.lakes import ENTRY, assert_equal, begun, fill, memory, push_as_older_version
from tests.ports import free_port

pytestmark = pytest.mark.slow

ONE = "owner/one"
SECRET = "a-very-secret-key"


@pytest.fixture
def data_dir() -> Database:
    database = memory()
    fill(database, {(ONE, "2020-01"): [ENTRY]})
    return database


def add_noise(data_dir: Database, characters: int) -> None:
    """Another month, of which nothing can be compressed."""
    known = data_dir.frame("FROM meta.build_state")
    noise = {**ENTRY, "title": secrets.token_urlsafe(characters)}
    fill(data_dir, {(ONE, "2020-01"): [ENTRY], (ONE, "2020-02"): [noise]})
    data_dir.upsert("meta.build_state", known)


@contextmanager
def mounted(directory: Path, size: str) -> Iterator[Path]:
    """A small file system."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can only be made by root")
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        yield directory
    finally:
        subprocess.run(["umount", str(directory)], check=False)


def remount(directory: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(directory)], check=True)


def test_a_lake_that_is_full_is_said_so_and_stays_whole(data_dir: Database, tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "600k") as directory:
        lake = Lake.of(str(directory / "lake"))
        push(data_dir, lake, ONE)
        add_noise(data_dir, 2_000_000)

        with pytest.raises(PerfAssetsError, match="the disk of the lake is full; make room"):
            push(data_dir, lake, ONE)

        assert released(lake).tables["raw.issues"].rows == 1
        remount(directory, "size=20m")
        assert push(data_dir, lake, ONE).months == ("2020-02",)
        other = memory()
        pull(other, lake, [ONE])
        assert_equal(data_dir, other)


def test_a_lake_that_may_not_be_written_is_said_so(data_dir: Database, tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "5m") as directory:
        lake = Lake.of(str(directory / "lake"))
        push(data_dir, lake, ONE)
        add_noise(data_dir, 10)
        remount(directory, "ro")

        for act in (lambda: push(data_dir, lake, ONE), lambda: _lease(lake)):
            with pytest.raises(PerfAssetsError, match="may not be read or written"):
                act()

        other = memory()
        pull(other, lake, [ONE])
        assert other.connection.execute("SELECT count(*) FROM raw.issues").fetchall() == [(1,)]


def _lease(lake: Lake) -> None:
    with leased(lake, ONE, "worker"):
        pass


def test_a_folder_that_is_another_persons_is_said_so(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another")
    directory = Path(f"/tmp/lake-{secrets.token_hex(4)}")
    directory.mkdir(mode=0o755)
    try:
        message_file = directory / "said"
        message_file.touch(mode=0o666)
        message_file.chmod(0o666)
        process = begun(_ship_as_nobody, Lake.of(str(directory / "lake")), message_file)
        process.join(60)
        assert "may not be read or written" in message_file.read_text()
    finally:
        shutil.rmtree(directory)


def _ship_as_nobody(lake: Lake, message_file: Path) -> None:
    data_dir = memory()
    os.setuid(65534)
    try:
        push(data_dir, lake, ONE)
    except PerfAssetsError as error:
        message_file.write_text(str(error))


def test_a_file_of_the_lake_that_is_gone_is_named(data_dir: Database, tmp_path: Path) -> None:
    lake = Lake.of(str(tmp_path / "lake"))
    push(data_dir, lake, ONE)
    (file,) = Path(lake.table("raw.issues")).rglob("*.parquet")
    file.write_bytes(b"no parquet")

    for act in (lambda: pull(memory(), lake, [ONE]), lambda: maintain(lake)):
        with pytest.raises(PerfAssetsError, match=r"\.parquet: this file of the lake is missing"):
            act()


# S3


@pytest.fixture(scope="module")
def bucket() -> Iterator[int]:
    """The port of a stand-in for S3 that has a bucket."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _make_bucket(port)
            yield port
        finally:
            server.kill()


def _make_bucket(port: int) -> None:
    for _ in range(200):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("PUT", "/bucket")
            assert connection.getresponse().status == 200
            return
        except ConnectionError:
            time.sleep(0.1)
    raise AssertionError("the stand-in for S3 does not answer")


class Between(http.server.ThreadingHTTPServer):
    """Stands between a client and S3, and refuses or is slow as told.

    refuses : of so many requests one is answered by 503; 0 for none. seconds : that each takes.
    """

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.port, self.refuses, self.seconds, self.asked = port, 0, 0.0, 0


class _Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def pass_on(self) -> None:
        between = self.server
        assert isinstance(between, Between)
        between.asked += 1
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        time.sleep(between.seconds)
        if between.refuses and between.asked % between.refuses == 0:
            status, headers, content = 503, {}, b"<Error><Code>SlowDown</Code></Error>"
        else:
            connection = http.client.HTTPConnection("127.0.0.1", between.port, timeout=60)
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            status, headers, content = answer.status, dict(answer.getheaders()), answer.read()
            connection.close()
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        length = headers.get("Content-Length", "0") if self.command == "HEAD" else len(content)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = pass_on  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def between(bucket: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Between]:
    server = Between(bucket)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    _use_s3(server.server_port, monkeypatch)
    yield server
    server.shutdown()
    server.server_close()


def _use_s3(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.exhaustive
def test_a_lake_in_s3_is_as_one_in_a_folder(data_dir: Database, between: Between) -> None:
    lake, other = Lake.of("s3://bucket/whole"), memory()
    with leased(lake, ONE, "worker") as lease:
        push(data_dir, lake, ONE, lease)
        pull(other, lake, [ONE])
        assert_equal(data_dir, other)
        add_noise(data_dir, 10)
        assert push(data_dir, lake, ONE, lease).months == ("2020-02",)
    assert push(data_dir, lake, ONE).commits == 0
    issues = released(lake, ["raw.issues"]).tables["raw.issues"]
    assert issues.rows == 2
    assert all(file.startswith("s3://bucket/whole/raw/issues/") for file in issues.files)


@pytest.mark.exhaustive
def test_stores_address_key_in_a_lake_in_s3_of_an_older_version(
    data_dir: Database, bucket: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without Between: deltalake holds the GIL, which Between needs, when it changes columns.
    _use_s3(bucket, monkeypatch)
    url = "s3://bucket/older"
    lake = Lake.of(url)
    push_as_older_version(data_dir, lake, ONE)
    other = memory()
    pull(other, lake, [ONE])
    assert_equal(data_dir, other)
    maintain(lake, small_files=1)

    add_noise(data_dir, 10)
    keyed = Lake.of(url, DataDirectory.of(tmp_path / "home"))
    assert push(data_dir, keyed, ONE).months == ("2020-02",)

    pull(other, keyed, [ONE])
    assert_equal(data_dir, other)
    assert needed(lake).address_key is not None


@pytest.mark.exhaustive
def test_a_lake_in_s3_is_maintained(data_dir: Database, between: Between) -> None:
    lake, other = Lake.of("s3://bucket/maintained"), memory()
    push(data_dir, lake, ONE)
    add_noise(data_dir, 10)
    push(data_dir, lake, ONE)

    assert any(one.buckets for one in maintain(lake, small_files=2))

    pull(other, lake, [ONE])
    assert_equal(data_dir, other)


@pytest.mark.exhaustive
def test_storage_that_refuses_now_and_then_and_is_slow_is_asked_again(
    data_dir: Database, between: Between
) -> None:
    lake, other = Lake.of("s3://bucket/now-and-then"), memory()
    between.refuses, between.seconds = 12, 0.01

    push(data_dir, lake, ONE)
    pull(other, lake, [ONE])

    assert_equal(data_dir, other)
    assert between.asked > 40


@pytest.mark.exhaustive
@pytest.mark.parametrize(("refuses", "seconds"), [(1, 0.0), (0, 30.0)])
def test_storage_that_does_not_answer_is_said_so_in_time(
    data_dir: Database, between: Between, refuses: int, seconds: float
) -> None:
    lake = Lake(f"s3://bucket/silent-{refuses}", retry_seconds=1)
    push(data_dir, lake, ONE)
    add_noise(data_dir, 10)
    between.refuses, between.seconds = refuses, seconds
    began = time.monotonic()

    with pytest.raises(TransientError, match="does not answer, or refuses for now") as caught:
        push(data_dir, lake, ONE)

    assert time.monotonic() - began < 15
    assert SECRET not in str(caught.value)
    between.refuses, between.seconds = 0, 0.0
    assert released(lake).tables["raw.issues"].rows == 1
    assert push(data_dir, lake, ONE).months == ("2020-02",)


@pytest.mark.exhaustive
def test_a_bucket_that_is_not_there_is_named(data_dir: Database, between: Between) -> None:
    with pytest.raises(PerfAssetsError, match="s3://nobody/x: there is no such bucket"):
        push(data_dir, Lake.of("s3://nobody/x"), ONE)
