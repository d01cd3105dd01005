"""Analyse fix commits in a child process: read hashes and print one line of JSON for each.

It imports little: on a small repository that is most of its time.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from perf_assets.sources.git.changed_files import (
    LARGEST_FILE,
    ChangedFile,
    changed_files,
    read_blobs,
    read_patches,
    too_large,
)
from perf_assets.sources.git.command import GitError, reason_of
from perf_assets.sources.git.szz.removed_lines import (
    Pair,
    RemovedCode,
    read_removed,
    removed_code,
    sources_of,
)

AT_ONCE = 40  # commits that a process reads from git together
_BYTES_AT_ONCE = 16_000_000  # of their files

TIME_LIMIT = 120.0
"""Seconds for each inspection of one commit; hardly reached, as sizes are limited."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Inspected:
    """What a process finds of one commit: all but where its removed lines come from."""

    sha: str
    details: dict[str, Any] | None = None
    problem: str | None = None
    removed: RemovedCode = field(default_factory=RemovedCode)


def main(clone: Path) -> None:
    """Analyse the commits whose hashes stand in the input, a line of JSON for each."""
    # Ctrl-C reaches the whole group: the parent stops the work, so that no commit fails.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    shas = [line.strip() for line in sys.stdin]
    for first in range(0, len(shas), AT_ONCE):
        for found in inspect(clone, shas[first : first + AT_ONCE]):
            sys.stdout.write(json.dumps(asdict(found)) + "\n")
            sys.stdout.flush()


def inspect(clone: Path, shas: Sequence[str]) -> Iterator[Inspected]:
    """Yield both inspections of each commit; an error becomes the reported reason."""
    files, problem = _limited(lambda: changed_files(clone, shas))
    if files is not None:
        for group in _groups(files):
            yield from _inspect_group(clone, group)
    elif len(shas) > 1:
        for sha in shas:
            yield from inspect(clone, [sha])
    else:
        yield _not_read(shas[0], problem)


def _groups(files: Mapping[str, list[ChangedFile]]) -> Iterator[dict[str, list[ChangedFile]]]:
    """Yield the commits in groups whose files fit into memory together."""
    group: dict[str, list[ChangedFile]] = {}
    held = 0
    for sha, changed in files.items():
        size = sum(file.old_size + file.size for file in changed)
        if group and held + size > _BYTES_AT_ONCE:
            yield group
            group, held = {}, 0
        group[sha] = changed
        held += size
    yield group


def _inspect_group(clone: Path, files: Mapping[str, list[ChangedFile]]) -> Iterator[Inspected]:
    read, problem = _limited(lambda: _read(clone, files))
    if read is None and len(files) > 1:
        for sha, changed in files.items():
            yield from _inspect_group(clone, {sha: changed})
        return
    for sha in files:
        yield _not_read(sha, problem) if read is None else _inspected(sha, read)


def _not_read(sha: str, problem: str | None) -> Inspected:
    return Inspected(sha, problem=problem, removed=RemovedCode(problem=problem))


@dataclass(frozen=True)
class _Read:
    """The data of git on some commits; ``contents`` are those of the blobs in their ``files``."""

    files: Mapping[str, list[ChangedFile]]
    removed: Mapping[str, Mapping[Pair, Sequence[int]]]
    patches: Mapping[str, bytes]
    contents: Mapping[str, bytes]


def _read(clone: Path, files: Mapping[str, list[ChangedFile]]) -> _Read:
    from perf_assets.sources.git.details import PATCH  # noqa: PLC0415

    analysed = [sha for sha, changed in files.items() if too_large(changed) is None]
    blobs = {blob for sha in analysed for file in files[sha] for blob in (file.old_blob, file.blob)}
    blobs |= {
        file.old_blob
        for changed in files.values()
        for file in sources_of(changed)
        if file.old_size <= LARGEST_FILE
    }
    return _Read(
        files,
        read_removed(clone, files),
        read_patches(clone, analysed, PATCH),
        read_blobs(clone, sorted(blob for blob in blobs if blob)),
    )


def _inspected(sha: str, read: _Read) -> Inspected:
    # It takes a while to import, and only the worker needs it.
    from perf_assets.sources.git.details import read_details  # noqa: PLC0415

    details, problem = None, too_large(read.files[sha])
    if problem is None:
        details, problem = _limited(lambda: read_details(read.patches[sha], read.contents))
    changed = read.files[sha], read.removed[sha], read.contents
    removed, failure = _limited(lambda: removed_code(*changed))
    return Inspected(sha, details, problem, removed or RemovedCode(problem=failure))


def _limited(work: Callable[[], Result]) -> tuple[Result | None, str | None]:
    """Return the result of ``work``, or why there is none."""
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
    try:
        return work(), None
    except _OutOfTimeError:
        return None, f"it takes longer than {TIME_LIMIT:.0f} seconds"
    except GitError as error:
        return None, reason_of(error)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}".splitlines()[0][:200]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _OutOfTimeError(BaseException):
    """Passes through libraries that catch every Exception."""


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise _OutOfTimeError


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    os._exit(0)  # The parent does not wait for the interpreter's shutdown.
