"""From which file another was renamed, as ``git blame`` decides it."""

from collections.abc import Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.command import local_environment, run
from perf_assets.sources.git.szz.ancestry import ABSENT, SUBMODULE, Change, ChangedPaths, Commits

Case = tuple[int, int, int]
"""A file that appears: its commit, the index of the parent that lacks it, and its path."""

_WORKERS = 2
_MOST_BYTES = 1_000_000  # of paths on one command line


def rename_sources(
    clone: Path,
    commits: Commits,
    changed: ChangedPaths,
    appearing: Sequence[tuple[int, int, Change]],
    missing: Set[str] = frozenset(),
) -> tuple[dict[Case, int], dict[Case, str]]:
    """Return the path from which each file was renamed, by commit, index of its parent, and path.

    And the file that the clone lacks, one of ``missing``, where that cannot be decided.

    git looks for one file at a time: which of those that are gone it was, whatever became of them
    else. A file that is the same, and the only one, needs no asking.
    """
    found: dict[Case, int] = {}
    unknown: dict[Case, str] = {}
    open_cases: list[tuple[Case, list[bytes]]] = []
    gone: list[Change] = []
    last = (-1, -1)
    for commit, index, change in sorted(appearing):
        if (commit, index) != last:
            gone, last = _gone(changed, commit, index), (commit, index)
        if not gone:
            continue
        path = changed.path_number(change.path)
        assert path is not None
        same = [
            candidate
            for candidate in gone
            if candidate.old_blob == change.blob and candidate.old_kind == change.kind
        ]
        if len(same) == 1:
            source = changed.path_number(same[0].path)
            assert source is not None
            found[commit, index, path] = source
        elif absent := missing & {change.blob, *(candidate.old_blob for candidate in gone)}:
            unknown[commit, index, path] = min(absent)
        else:
            open_cases.append(
                ((commit, index, path), [change.path, *(candidate.path for candidate in gone)])
            )
    with ThreadPoolExecutor(_WORKERS) as pool:
        sources = pool.map(lambda case: _source_of(clone, commits, case), open_cases)
        for (case, _), source_path in zip(open_cases, sources, strict=True):
            source = None if source_path is None else changed.path_number(source_path)
            if source is not None:
                found[case] = source
    return found, unknown


def _gone(changed: ChangedPaths, commit: int, index: int) -> list[Change]:
    """Return the files of a parent that are missing in the commit."""
    return [
        change
        for _, change in changed.against(commit, index)
        if change.kind == ABSENT and change.old_kind != SUBMODULE
    ]


def _source_of(clone: Path, commits: Commits, case: tuple[Case, list[bytes]]) -> bytes | None:
    (commit, index, _), paths = case
    sha, parent = commits.shas[commit], commits.shas[commits.parents[commit][index]]
    command = diffing(clone, "-r", "-M", "--raw", "-z", parent, sha, "--")
    command.insert(1, "--literal-pathspecs")
    if sum(map(len, paths)) < _MOST_BYTES:
        command += [path.decode("utf-8", "surrogateescape") for path in paths]
    tokens = iter(run(command, local_environment()).split(b"\0")[:-1])
    for token in tokens:
        first = next(tokens)
        if token.rpartition(b" ")[2].startswith(b"R") and next(tokens) == paths[0]:
            return first
    return None
