"""The files of a source of benchmark results: in a folder, or in a branch of a git repository."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.benchmarks import Benchmarks
from perf_assets.sources.benchmarks import asv, github_action, pytest_benchmark, table
from perf_assets.sources.benchmarks.results import Results, UnusableError
from perf_assets.sources.git.clone import reading
from perf_assets.sources.git.command import GitError, read_clone
from perf_assets.sources.git.trees import File, list_files, read_files

MOST_BYTES = 200_000_000  # of a file; data.js of 1,350 series has a tenth of it in a year

_IS_RESULTS: dict[str, Callable[[str], bool]] = {
    "asv": asv.is_results,
    "github-action": github_action.is_results,
    "pytest-benchmark": pytest_benchmark.is_results,
    "csv": table.is_results,
}
_READERS: dict[str, Callable[[bytes], Results]] = {
    "github-action": github_action.read_results,
    "pytest-benchmark": pytest_benchmark.read_results,
    "csv": table.read_results,
}


@dataclass(frozen=True)
class ResultFiles:
    """The files of a source as they are now.

    files : those that hold results, by path; ``blob`` names the content.
    units : asv's units of the benchmarks whose names do not tell them.
    """

    source: Benchmarks
    files: tuple[File, ...]
    units: dict[str, str]
    _contents: Callable[[Sequence[File]], Iterator[tuple[File, bytes]]]

    def read(self, files: Sequence[File]) -> Iterator[tuple[File, Results | str]]:
        """Yield each of ``files`` with its results, or with the reason why it has none."""
        for file in files:
            if file.unread is not None:
                yield file, f"the file is not read: {file.unread}"
        for file, content in self._contents([file for file in files if file.unread is None]):
            try:
                yield file, self._results(content)
            except UnusableError as error:
                yield file, str(error)

    def _results(self, content: bytes) -> Results:
        if self.source.format == "asv":
            return asv.read_results(content, self.units)
        return _READERS[self.source.format](content)


def find_results(source: Benchmarks, clone: Path) -> ResultFiles:
    """Return the files of ``source``; ``clone`` is up to date where it is a git repository.

    Raises
    ------
    PerfAssetsError
        The folder, the branch or the folder in it is not there, or cannot be read.
    """
    if source.path is not None:
        found, contents = _in_folder(source.path)
    else:
        found, contents = _in_branch(source, clone)
    is_results = _IS_RESULTS[source.format]
    units: dict[str, str] = {}
    if source.format == "asv":
        files = [file for file in found if file.path.rpartition("/")[2] == asv.UNITS_FILE]
        for _, content in contents([file for file in files if file.unread is None]):
            units |= asv.read_units(content)
    files = [file for file in found if is_results(file.path)]
    if not files:
        raise PerfAssetsError(
            f"benchmarks {source.name} of {source.repository}: there is no result file of the "
            f"format {source.format} in {source.path or source.folder or 'the git repository'}; "
            "correct the place or the format in the study file"
        )
    return ResultFiles(source, tuple(files), units, contents)


def _in_folder(
    path: Path,
) -> tuple[list[File], Callable[[Sequence[File]], Iterator[tuple[File, bytes]]]]:
    """Return the files in a folder, links left out, or the file itself, and what reads them."""
    root = path if path.is_dir() else path.parent
    paths = [path]
    if path.is_dir():
        paths = [Path(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)]
    files = []
    try:
        for entry in sorted(paths):
            name = entry.relative_to(root).as_posix().encode("utf-8", "backslashreplace").decode()
            if entry.is_symlink():
                files.append(File(name, "", "symlink"))
            elif entry.stat().st_size > MOST_BYTES:
                files.append(File(name, f"{entry.stat().st_size} bytes", "large"))
            else:
                with entry.open("rb") as content:
                    digest = hashlib.file_digest(content, "sha1").hexdigest()
                files.append(File(name, digest))
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the benchmark results cannot be read ({error.strerror or error}); correct "
            "the path in the study file"
        ) from None

    def contents(wanted: Sequence[File]) -> Iterator[tuple[File, bytes]]:
        for file in wanted:
            yield file, (root / file.path).read_bytes()

    return files, contents


def _in_branch(
    source: Benchmarks, clone: Path
) -> tuple[list[File], Callable[[Sequence[File]], Iterator[tuple[File, bytes]]]]:
    """Return the files in a branch of a clone, and what reads them."""
    name = "HEAD" if source.branch is None else f"refs/heads/{source.branch}"
    try:
        tip = read_clone(clone, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except GitError:
        raise PerfAssetsError(
            f"benchmarks {source.name} of {source.repository}: the git repository has no branch "
            f"{source.branch or 'at all'}; correct it in the study file"
        ) from None
    with reading(clone):
        files = list_files(clone, tip.decode().strip(), suffixes=("",), largest=MOST_BYTES)
    folder = "" if source.folder is None else source.folder.strip("/")
    if folder:
        files = [
            file for file in files if file.path == folder or file.path.startswith(f"{folder}/")
        ]
    return files, lambda wanted: read_files(clone, wanted)
