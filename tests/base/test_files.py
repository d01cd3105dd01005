"""Files that are written in one step: what must be true after a failure, and of the file."""

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base import files
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import copy_file, new_file, set_in_place, write_file
from perf_assets.dagster_app.settings import write_instance_config
from tests.effort import examples

OLD = b"what was there"
POSTGRES = {"storage": {"postgres": {"postgres_url": {"env": "DAGSTER_DATABASE"}}}}
# The calls that may fail, in the order in which a file is written.
STEPS = ("os.open", "os.fchmod", "os.fsync", "pathlib.Path.replace", "os.link")


def names(directory: Path) -> list[str]:
    return sorted(one.name for one in directory.iterdir())


def ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@settings(max_examples=examples(25))
@given(
    content=st.binary(max_size=200),
    mode=st.sampled_from([0o600, 0o640, 0o755]),
    has_old=st.booleans(),
    failing=st.sampled_from([None, *STEPS]),
    replaces=st.booleans(),
)
def test_after_a_failure_at_any_step_the_old_content_stays_and_nothing_is_left(
    tmp_path_factory: pytest.TempPathFactory,
    content: bytes,
    mode: int,
    failing: str | None,
    *,
    has_old: bool,
    replaces: bool,
) -> None:
    path = tmp_path_factory.mktemp("written") / "file"
    if has_old:
        path.write_bytes(OLD)
        path.chmod(mode)
    before = names(path.parent)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        if failing is not None:
            patch.setattr(failing, fail)
        try:
            write_file(path, content, replaces=replaces)
        except FileExistsError:
            assert has_old and not replaces
        except PerfAssetsError as error:
            message = str(error)
            assert message.startswith(f"{path}: ") and "No space left" in message
            assert "make room" in message and "\n" not in message
        else:
            assert path.read_bytes() == content
            assert names(path.parent) == ["file"]
            assert not has_old or stat.S_IMODE(path.stat().st_mode) == mode
            return
    assert names(path.parent) == before
    assert not has_old or path.read_bytes() == OLD


def with_little_room(program: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run a program that can write 100 bytes to a file."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )


@pytest.mark.parametrize("is_library", [False, True])
def test_a_file_that_the_system_cuts_is_not_set_in_place(
    tmp_path: Path, *, is_library: bool
) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    program = (
        "import sys; from pathlib import Path\n"
        "from perf_assets.base.files import new_file, write_file\n"
        "path, is_library = Path(sys.argv[1]), sys.argv[2] == 'True'\n"
        "with new_file(path) as new:\n"
        "    (new if is_library else path.with_name('x')).touch()\n"
        "    new.write_bytes(b'.' * 200) if is_library else write_file(path, b'.' * 200)\n"
    )
    ran = with_little_room(program, path, is_library)
    said = ran.stderr.splitlines()[-1]
    assert f"{path}: this cannot be written (File too large): raise the limit" in said
    (tmp_path / "x").unlink(missing_ok=True)
    assert (names(tmp_path), path.read_bytes()) == (["file"], OLD)


def test_settings_of_dagster_stay_where_they_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "dagster.yaml"
    path.write_text(yaml.safe_dump(POSTGRES))
    program = (
        "import sys; from pathlib import Path\n"
        "from perf_assets.dagster_app.settings import write_instance_config\n"
        "write_instance_config(Path(sys.argv[1]))\n"
    )
    ran = with_little_room(program, tmp_path)
    assert ran.returncode == 1 and "raise the limit of the size of files" in ran.stderr
    assert yaml.safe_load(path.read_text()) == POSTGRES
    write_instance_config(tmp_path)
    assert POSTGRES.items() <= yaml.safe_load(path.read_text()).items()
    assert names(tmp_path) == ["dagster.yaml"]


@pytest.mark.parametrize("content", ["", "\n", "# storage: none\n"])
def test_empty_settings_of_dagster_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "dagster.yaml"
    path.write_text(content)
    with pytest.raises(PerfAssetsError, match=r"is empty.*or remove it"):
        write_instance_config(tmp_path)
    assert path.read_text() == content


def test_a_new_file_has_its_mode_from_its_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    fsync = os.fsync

    def look(handle: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        fsync(handle)

    monkeypatch.setattr("os.fchmod", lambda *_: None)
    monkeypatch.setattr("os.fsync", look)
    path = write_file(tmp_path / "key", "secret", mode=0o600)
    assert seen[0] == stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_keeps_its_mode_and_a_given_one_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(mode=0o640)
    path.chmod(0o640)
    write_file(path, "a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with new_file(path) as unfinished:
        unfinished.write_text("b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_file(path, "c", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_one_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    link, target = tmp_path / "here" / "link", tmp_path / "there" / "target"
    link.symlink_to("../there/target")
    for content in ("new", "again"):
        write_file(link, content)
        assert link.is_symlink() and target.read_text() == content
    with new_file(link) as unfinished:
        assert unfinished.parent == target.parent
        unfinished.write_text("by a library")
    assert link.is_symlink() and target.read_text() == "by a library"
    assert (names(link.parent), names(target.parent)) == (["link"], ["target"])


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, "content")
    reader.join(10)
    assert read == [b"content"] and pipe.is_fifo()


@pytest.mark.parametrize("name", ["file", "no/such/file", "."])
def test_what_cannot_be_written_is_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(PerfAssetsError, match=r": this cannot be written \(.*\): make it writable"):
        write_file(tmp_path / name, "content")
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_is_there_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    def link(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr("os.link", link)
    path = write_file(tmp_path / "file", OLD, replaces=False)
    with pytest.raises(FileExistsError):
        write_file(path, "other", replaces=False)
    # Also where it came after it was looked for.
    monkeypatch.setattr(Path, "exists", lambda _: False)
    with pytest.raises(FileExistsError):
        write_file(path, "other", replaces=False)
    assert (names(tmp_path), path.read_bytes()) == (["file"], OLD)


def test_what_ended_processes_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    ended = ended_process()
    left = [f".file.{ended}-3.new", f".file.{ended}-3.new.wal", f".file.{os.getpid()}-99999.new"]
    others = [
        ".file.new",
        f".file.{os.getppid()}-3.new",  # of a process that may be writing
        f".other.{ended}-3.new",
        f"file.{ended}-3.new",
    ]
    for name in left + others:
        (tmp_path / name).touch()
    write_file(tmp_path / "file", "content")
    assert names(tmp_path) == sorted([*others, "file"])


def test_two_writers_of_one_process_do_not_remove_each_other(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with new_file(path) as one, new_file(path) as other:
        one.write_text("one")
        other.write_text("other")
        write_file(path, "between")
        assert one.exists() and other.exists() and one != other
    assert (names(tmp_path), path.read_text()) == (["file"], "one")
    assert not files._unfinished


@pytest.mark.parametrize("name", ["a" * 255, "ä" * 127, "\udcff" * 200, "a[*].{}"])
def test_long_and_odd_names_are_written(tmp_path: Path, name: str) -> None:
    for content in ("one", "other"):
        assert write_file(tmp_path / name, content).read_text() == content
    assert names(tmp_path) == [name]


def test_a_library_leaves_nothing_beside_its_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with new_file(path) as unfinished:
        assert not unfinished.exists()
        with closing(sqlite3.connect(unfinished)) as connection, connection:
            connection.execute("CREATE TABLE answers (answer)")
        unfinished.with_name(f"{unfinished.name}-journal").touch()
    assert names(tmp_path) == ["answers.sqlite"]
    before = path.read_bytes()
    with pytest.raises(ValueError, match="stop"), new_file(path) as unfinished:
        unfinished.write_text("half")
        unfinished.with_name(f"{unfinished.name}.wal").touch()
        raise ValueError("stop")
    assert (names(tmp_path), path.read_bytes()) == (["answers.sqlite"], before)


def test_a_source_that_cannot_be_read_is_not_said_of_the_target(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-source"):
        copy_file(tmp_path / "no-source", tmp_path / "target")
    assert names(tmp_path) == []
    (tmp_path / "source").write_bytes(OLD)
    assert copy_file(str(tmp_path / "source"), str(tmp_path / "target")).read_bytes() == OLD


def test_what_is_set_in_place_is_on_the_disk_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    fsync = os.fsync

    def note(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        fsync(handle)

    monkeypatch.setattr("os.fsync", note)
    finished, path = tmp_path / "finished", tmp_path / "path"
    finished.write_bytes(OLD)
    set_in_place(finished, path)
    assert synced == ["finished", tmp_path.name]
    write_file(path, "quick", is_durable=False)
    assert len(synced) == 2
