"""Zips of strangers: what is wrong with one is told in a sentence, and nothing is left of it."""

import errno
import io
import os
import shutil
import stat
import struct
import subprocess
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.zips import HEADER, PLAUSIBLE_SIZE, open_zip, unpack
from tests.effort import examples

CONTENTS = {
    "archive.json": b"{}",
    "tables/raw.issues.parquet": bytes(range(256)) * 20,
    "studie/größe.toml": b'name = "x"\n',
    "empty": b"",
}
CENTRAL = b"PK\x01\x02"  # begins an entry of the list of files


def zipped(contents: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, content in contents.items():
            archive.writestr(name, content)
    return packed.getvalue()


def with_entry(change: Callable[[zipfile.ZipInfo], None], content: bytes = b"x") -> bytes:
    """A zip whose file ``odd`` is declared as ``change`` has it, after a good one."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("good", b"good")
        entry = zipfile.ZipInfo("odd")
        change(entry)
        archive.writestr(entry, content)
    return packed.getvalue()


def with_name(name: str) -> bytes:
    """A zip with a file called ``name``, which no writer that checks would give it."""
    made = zipped({"good": b"good", "N" * len(name.encode()): b"x"})
    return made.replace(b"N" * len(name.encode()), name.encode())


def with_mode(mode: int) -> bytes:
    return with_entry(lambda entry: setattr(entry, "external_attr", mode << 16), b"/etc/passwd")


def with_field(data: bytes, offset: int, form: str, value: int) -> bytes:
    """``data`` with another value in a field of the first entry of its list of files."""
    changed = bytearray(data)
    struct.pack_into(form, changed, data.index(CENTRAL) + offset, value)
    return bytes(changed)


def bomb() -> bytes:
    """A file within another: each byte of such a zip can be unpacked many times over."""
    inner = zipped({"b": b"b" * 99}, zipfile.ZIP_STORED)
    outer = {"a": inner[: inner.index(CENTRAL)], "b": b"b" * 99}
    data = zipped(outer, zipfile.ZIP_STORED)
    last = data.rindex(CENTRAL)
    return data[: last + 42] + struct.pack("<L", HEADER.size + 1) + data[last + 46 :]


def with_gap() -> bytes:
    """A zip with a file that its list does not have."""
    data = zipped({"good": b"good", "odd": b"x", "last": b""})
    begin = data.index(CENTRAL, data.index(CENTRAL) + 1)
    end = data.index(CENTRAL, begin + 1)
    shorter = bytearray(data[:begin] + data[end:])
    length = struct.unpack_from("<L", shorter, len(shorter) - 10)[0]
    struct.pack_into("<L", shorter, len(shorter) - 10, length - (end - begin))
    return bytes(shorter)


def too_large() -> bytes:
    return zipped({"zeros": bytes(PLAUSIBLE_SIZE + 1)})


BAD = {
    "absolute": (with_name("/tmp/x"), "/tmp/x in it is refused, because its name is absolute"),
    "drive": (with_name("C:x"), "C:x in it is refused, because its name is absolute"),
    "up": (with_name("a/../../x"), "leads out of the directory"),
    "only up": (with_name(".."), "leads out of the directory"),
    "backslash": (with_name("..\\x"), "has a backslash"),
    "control": (
        with_name("a\nb"),
        "a b in it is refused, because its name has a control character",
    ),
    "zero byte": (with_name("good\0.exe"), "has a control character"),
    "empty part": (with_name("a//b"), "has an empty part"),
    "dot": (with_name("./b"), "has an empty part"),
    "long part": (with_name("a" * 256), "is longer than file systems take"),
    "long name": (with_name("/".join(["a" * 200] * 11)), "is longer than file systems take"),
    "case": (zipped({"A/b": b"1", "a/B": b"2"}), "a/B in it .* by case or spelling alone"),
    "composed": (zipped({"é": b"1", "e\u0301": b"2"}), "by case or spelling alone"),
    "file and folder": (zipped({"a": b"1", "a/b": b"2"}), "a in it .* a file and a folder at once"),
    "link": (with_mode(stat.S_IFLNK | 0o777), "odd in it is refused, because it is a link"),
    "device": (with_mode(stat.S_IFBLK | 0o600), "a link or another special file"),
    "pipe": (with_mode(stat.S_IFIFO | 0o600), "a link or another special file"),
    "folder by kind": (with_mode(stat.S_IFDIR | 0o700), "a folder by its kind"),
    "link of Windows": (
        with_entry(lambda entry: setattr(entry, "external_attr", 0x400)),
        "a link or another special file",
    ),
    "encrypted": (
        with_field(zipped(CONTENTS), 8, "<H", 1),
        "archive.json .* because it is encrypted",
    ),
    "bzip2": (zipped({"a": b"x"}, zipfile.ZIP_BZIP2), "another method than deflate"),
    "lzma": (zipped({"a": b"x"}, zipfile.ZIP_LZMA), "another method than deflate"),
    "another header": (
        zipped(CONTENTS).replace(b"\x08\0", b"\0\0", 1),
        "its header is not as the list of files says",
    ),
    "shared": (bomb(), "a in it .* it shares bytes with another"),
    "stored sizes": (
        with_field(zipped({"a": b"x" * 99}, zipfile.ZIP_STORED), 24, "<L", 50),
        "sizes contradict each other",
    ),
    "larger": (
        with_field(zipped({"a": b"x" * 99}), 24, "<L", 100),
        "a in it is damaged",
    ),
    "smaller": (with_field(zipped({"a": b"x" * 99}), 24, "<L", 98), "a in it is damaged .*CRC"),
    "checksum": (with_field(zipped({"a": b"x" * 99}), 16, "<L", 7), "a in it is damaged .*CRC"),
    "absurd": (
        with_field(zipped({"a": b"x" * 99}), 24, "<L", 0xFFFFFFF0),
        "a in it is refused, because it would become 4,096 MB out of",
    ),
    "before": (
        b"#!/bin/sh\n" + zipped(CONTENTS),
        "because something that it does not list stands bef",
    ),
    "between": (with_gap(), "good in it .* something that the zip does not list stands after it"),
    "shorter list": (
        with_field(zipped(CONTENTS), 32, "<H", 1000),
        "archive.json in it .* something that the zip does not list stands after it",
    ),
    "no list": (
        zipped(CONTENTS)[:-10] + bytes(10),
        "zip is refused, because something that it does not list",
    ),
    "cut": (zipped(CONTENTS)[:-30], "is cut or damaged"),
    "text": (b"id,title\n1,slow\n", "is not a zip file"),
    "nothing": (b"", "is not a zip file"),
}


def everything_in(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.zip"
    path.write_bytes(zipped(CONTENTS))
    return path


def test_a_good_zip_is_unpacked_whole(good: Path, tmp_path: Path) -> None:
    unpack(good, tmp_path / "a" / "target")
    assert everything_in(tmp_path / "a") == {f"target/{key}": CONTENTS[key] for key in CONTENTS}


def test_what_is_unpacked_has_the_rights_of_any_new_directory(good: Path, tmp_path: Path) -> None:
    unpack(good, tmp_path / "target")
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_empty_directory_is_taken(good: Path, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    unpack(good, tmp_path / "target")
    assert everything_in(tmp_path / "target") == CONTENTS


def test_folders_of_their_own_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "folders.zip"
    path.write_bytes(zipped({"a/": b"", "a/b": b"1"}))
    unpack(path, tmp_path / "target")
    assert everything_in(tmp_path / "target") == {"a/b": b"1"}


def test_a_zip_that_was_written_to_a_pipe_is_taken(tmp_path: Path) -> None:
    """Its writer could not go back to say sizes before the bytes."""
    with (
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat,
        zipfile.ZipFile(cat.stdin, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("a", b"1" * 99)
        archive.writestr("b", b"2")
        archive.close()
        cat.stdin.close()
        (tmp_path / "piped.zip").write_bytes(cat.stdout.read())
    unpack(tmp_path / "piped.zip", tmp_path / "target")
    assert everything_in(tmp_path / "target") == {"a": b"1" * 99, "b": b"2"}


def test_files_are_read_without_unpacking(good: Path) -> None:
    with open_zip(good) as archive:
        assert {name: b"".join(archive.chunks(name)) for name in archive.sizes} == CONTENTS
        assert archive.read("archive.json", 2) == b"{}"
        assert archive.sizes == {name: len(content) for name, content in CONTENTS.items()}
        with pytest.raises(PerfAssetsError, match="json in it has 2 bytes, where 1 are"):
            archive.read("archive.json", 1)
        with pytest.raises(PerfAssetsError, match=r"zip has no file other\.json in it"):
            archive.read("other.json", 1)


@pytest.mark.parametrize("kind", BAD)
def test_what_is_wrong_is_reported_and_nothing_is_left(kind: str, tmp_path: Path) -> None:
    data, message = BAD[kind]
    (tmp_path / "bad.zip").write_bytes(data)
    with pytest.raises(PerfAssetsError, match=message) as told:
        unpack(tmp_path / "bad.zip", tmp_path / "target")
    assert str(told.value).startswith(f"{tmp_path / 'bad.zip'}")
    assert str(told.value).endswith("take another copy of it, or ask who made it for another")
    assert "\n" not in str(told.value)
    assert names_in(tmp_path) == ["bad.zip"]


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.zip").write_bytes(too_large())
    with pytest.raises(
        PerfAssetsError, match="zeros in it is refused, because it would become 11 MB"
    ):
        unpack(tmp_path / "bomb.zip", tmp_path / "target")
    assert names_in(tmp_path) == ["bomb.zip"]


def test_many_files_of_which_none_is_a_bomb_are_one_together(tmp_path: Path) -> None:
    part = bytes(PLAUSIBLE_SIZE - 1)
    (tmp_path / "bomb.zip").write_bytes(zipped({"a": part, "b": part}))
    with pytest.raises(PerfAssetsError, match="zip is refused, because it would become 20 MB"):
        unpack(tmp_path / "bomb.zip", tmp_path / "target")


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("a", b"1")
        archive.writestr("a", b"2")
    (tmp_path / "twice.zip").write_bytes(packed.getvalue())
    with pytest.raises(PerfAssetsError, match="a in it is refused, because it is there twice"):
        unpack(tmp_path / "twice.zip", tmp_path / "target")


def test_never_more_is_read_than_was_declared(tmp_path: Path) -> None:
    """Also where the checksum is that of the part."""
    crc = zlib.crc32(b"x" * 10)
    data = with_field(with_field(zipped({"a": b"x" * 99}), 24, "<L", 10), 16, "<L", crc)
    (tmp_path / "lie.zip").write_bytes(data)
    unpack(tmp_path / "lie.zip", tmp_path / "target")
    assert (tmp_path / "target" / "a").read_bytes() == b"x" * 10


def test_a_target_with_something_in_it_stays(good: Path, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "mine").write_text("mine")
    with pytest.raises(PerfAssetsError, match="target is not empty: name a new directory"):
        unpack(good, tmp_path / "target")
    with pytest.raises(PerfAssetsError, match="mine is not a directory: name a new one"):
        unpack(good, tmp_path / "target" / "mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PerfAssetsError, match="link is not a directory"):
        unpack(good, tmp_path / "link")
    assert everything_in(tmp_path / "target") == {"mine": b"mine"}


def test_a_path_that_is_not_a_file_is_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path, "is a directory: name the zip file itself"),
        (tmp_path / "none.zip", "there is no such file"),
        (tmp_path / "pipe", "is not a file: name a zip file"),
        (tmp_path / ("a" * 300), "cannot be read .File name too long"),
    ):
        with pytest.raises(PerfAssetsError, match=message):
            unpack(path, tmp_path / "target")
    assert not (tmp_path / "target").exists()


def test_what_may_not_be_read_is_reported(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    with (
        pytest.raises(PerfAssetsError, match=r"cannot be read \(Permission denied\): make it"),
        open_zip(good),
    ):
        pass


def test_more_than_the_disk_has_is_reported_before_anything_is_written(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=5000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr(tempfile, "TemporaryDirectory", None)
    with pytest.raises(PerfAssetsError, match=r"good\.zip has 1 MB once unpacked, and the disk"):
        unpack(good, tmp_path / "target")
    assert names_in(tmp_path) == ["good.zip"]


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "target: the disk became full while files were unpacked"),
        (errno.EDQUOT, "target: the disk became full while files were unpacked"),
        (errno.EROFS, r"target cannot be written \(Read-only file system\)"),
    ],
)
def test_a_disk_that_takes_no_more_is_left_as_it_was(
    number: int, message: str, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def full(path: Path, mode: str = "r") -> object:
        if mode == "xb" and path.name == "größe.toml":
            raise OSError(number, os.strerror(number))
        return opened(path, mode)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(PerfAssetsError, match=message):
        unpack(good, tmp_path / "target")
    assert names_in(tmp_path) == ["good.zip"]


@settings(max_examples=examples(150, 3000))
@given(data=st.data())
def test_a_damaged_zip_is_refused_or_gives_all_that_was_in_it(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    method = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    damaged = bytearray(zipped(CONTENTS, method))
    for position in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=4)):
        damaged[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(damaged)), st.integers(0, len(damaged))))
    directory = tmp_path_factory.mktemp("damaged")
    try:
        (directory / "a.zip").write_bytes(damaged[:cut])
        unpack(directory / "a.zip", directory / "target")
    except PerfAssetsError as error:
        assert "\n" not in str(error)
        assert names_in(directory) == ["a.zip"]
    else:
        assert names_in(directory) == ["a.zip", "target"]
        assert everything_in(directory / "target") == CONTENTS
    finally:
        shutil.rmtree(directory)


def test_headers_are_thirty_bytes() -> None:
    assert HEADER.size == zipfile.sizeFileHeader  # type: ignore[attr-defined]
