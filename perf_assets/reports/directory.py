"""A directory that a command writes: which files of it are ours, and each replaced in one step.

A manifest lists them, so what is written again is not taken for somebody's files, what is as it was
is not made again, and what is no longer part of it leaves.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import set_in_place, temporary_beside, unwritable, write_file
from perf_assets.base.sanitize import is_utf8, shortened

ALLOWED = (".git",)  # beside which one may be begun: many hosts take a site from a checkout
UNFINISHED = re.compile(r"\..+\.[0-9]+(-[0-9]+)?\.new(\.wal)?")

Facts = Mapping[str, Any]
"""What a page says of a file, and is known when that is made: as JSON has it."""


@dataclass(frozen=True)
class Kind:
    """What a directory is to messages, the name of its manifest, and the command that writes it."""

    noun: str
    manifest: str
    made_by: str


@dataclass(frozen=True)
class OwnFile:
    """A file of the directory, and how it is made.

    path : below the directory, with slashes.
    write : writes it to the path that it is given, and returns what pages say of it.
    made_from : what it follows from; a file that is there, made from the same, is left alone.
        None where making it costs nothing.
    """

    path: str
    write: Callable[[Path], Facts]
    made_from: str | None = None


@dataclass(frozen=True)
class Entry:
    """What the manifest says of a file that is there."""

    made_from: str | None
    sha256: str
    size: int
    facts: Facts = field(default_factory=dict)


def text_file(path: str, text: Callable[[], str]) -> OwnFile:
    """Return a page or a script, made each time."""

    def write(target: Path) -> Facts:
        target.write_bytes(text().encode())
        return {}

    return OwnFile(path, write)


def copied_file(path: str, source: Path) -> OwnFile:
    """Return a copy of a file."""

    def write(target: Path) -> Facts:
        shutil.copyfile(source, target)
        return {}

    return OwnFile(path, write)


class OwnDirectory:
    """A directory whose files a command writes.

    entries : the files that were kept by now.
    written : how many of them are others than before.
    """

    def __init__(self, path: Path, kind: Kind) -> None:
        """Take the directory at ``path``; made if missing.

        Raises
        ------
        PerfAssetsError
            It cannot be made or read, or has files and nothing of ours of this ``kind``.
        """
        if not is_utf8(path):
            raise PerfAssetsError(
                f"{shortened(path, 200)}: a {kind.noun} cannot be written there, as its path is "
                "not UTF-8, which databases need: name another directory"
            )
        self.path, self._kind = path, kind
        self.entries: dict[str, Entry] = {}
        self.written = 0
        try:
            path.mkdir(parents=True, exist_ok=True)
            names = {file.name for file in path.iterdir()}
        except (OSError, ValueError) as error:  # a name may have what no file system takes
            reason = getattr(error, "strerror", None) or error
            raise PerfAssetsError(
                f"{shortened(path, 200)}: a {kind.noun} cannot be written there ({reason}): name "
                "another directory"
            ) from None
        others = {name for name in names if not UNFINISHED.fullmatch(name)} - {*ALLOWED}
        listed = self._listed() if others else {}
        if listed is None:
            raise PerfAssetsError(
                f"{path}: this directory has files and no {kind.noun} of perf-assets: name "
                "another one, or empty it"
            )
        self._before = listed

    def plan(self, paths: Iterable[str]) -> None:
        """Note which files there will be, so that the run after one that was killed knows them."""
        for left in self.path.rglob(".*.new*"):
            if UNFINISHED.fullmatch(left.name) and left.is_file():
                left.unlink(missing_ok=True)
        self._before = {**dict.fromkeys(paths), **self._before}
        self._save(self._before)

    def keep(self, file: OwnFile) -> Entry:
        """Have ``file`` in the directory.

        Raises
        ------
        PerfAssetsError
            It cannot be written.
        """
        target = self.path / file.path
        there = _sha256(target)
        if listed := self._before.get(file.path):
            before = Entry(**listed)
            is_same = file.made_from is not None and before.made_from == file.made_from
            if is_same and before.sha256 == there:
                self.entries[file.path] = before
                return before
        entry = self._made(file, target, there)
        self.entries[file.path] = entry
        if file.made_from is not None:  # so that a run after one that was killed goes on
            self._save({**self._before, **self._noted()})
        return entry

    def _made(self, file: OwnFile, target: Path, there: str | None) -> Entry:
        """Make ``file``, and replace what is there, of the digest ``there``, by it."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with temporary_beside(target) as temporary:
                facts = file.write(temporary)
                digest = _sha256(temporary)
                assert digest is not None
                entry = Entry(file.made_from, digest, temporary.stat().st_size, facts)
                if there != digest:
                    # The manifest has its digest: what a power failure cuts is made again.
                    set_in_place(temporary, target, is_durable=False)
                    self.written += 1
        except OSError as error:
            raise unwritable(target, error) from None
        return entry

    def finish(self) -> None:
        """Let files leave that are no longer part of it, and note those that are."""
        for path in self._before.keys() - self.entries.keys():
            (self.path / path).unlink(missing_ok=True)
        self._save(self._noted())

    def _noted(self) -> dict[str, Any]:
        return {path: asdict(entry) for path, entry in sorted(self.entries.items())}

    def _listed(self) -> dict[str, Any] | None:
        """Return the files that the manifest lists; None where there is none of ours.

        One that somebody changed lists nothing: all files are made again, and none leaves.
        """
        try:
            read = json.loads((self.path / self._kind.manifest).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not (isinstance(read, dict) and read.get("made_by") == self._kind.made_by):
            return None
        files = read.get("files")
        is_whole = isinstance(files, dict) and read.get("sha256") == _digest(files)
        return files if is_whole else {}

    def _save(self, files: Mapping[str, Any]) -> None:
        listed = {"made_by": self._kind.made_by, "sha256": _digest(files), "files": files}
        text = json.dumps(listed, indent=1) + "\n"
        write_file(self.path / self._kind.manifest, text, is_durable=False)


def _digest(files: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str | None:
    """Return the digest of a file; None where there is none."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
