"""Commits and their files as PyDriller reads them: the reference for ``mining.read_commits``.

A study file requests it by ``miner = "pydriller"``. It starts two git processes for each commit,
so it takes many times as long. PyDriller's values are stored but for these, where they are known
to be wrong or missing, and git's own take their place:

- merges: PyDriller lists no files of a merge, although its sizes are against the first parent. The
  files are PyDriller's too, made from the comparison with that parent.
- a file that becomes a link or a submodule: PyDriller lists a deleted and an added file, and counts
  unchanged lines on both sides. It is one file; its lines are those of ``git diff --numstat``.
- a change without a patch (renamed as it was, other permissions): PyDriller does not say whether
  the file is binary, and calls other permissions UNKNOWN.
- a commit that names its encoding: GitPython overlooks that and reads text as UTF-8. It is read as
  the commit says.
- paths that are not UTF-8 lose their bytes in PyDriller; a path with `` b/`` in it is cut at the
  wrong place where the patch names it in its first line only.

What remains different from ``mining.read_commits``, and is not corrected:

- a commit at which PyDriller fails has the failure in ``unreadable``: one of an author's time after
  the year 9999; one that adds or deletes an empty file, or changes the permissions of a file, whose
  path has `` b/`` in it and is quoted by git;
- an author's time before 1970 or without digits is 1970-01-01;
- name and address of a malformed author line are as GitPython splits it.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pydriller
from git import GitCommandError
from pydriller.domain.commit import Commit, ModificationType, ModifiedFile

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened
from perf_assets.schema.types import Columns
from perf_assets.sources.git.changes import EMPTY_TREES, PIECE_COMMITS, PIECE_FILES, unique_names
from perf_assets.sources.git.clone import Clone, damaged
from perf_assets.sources.git.command import GitError, local_environment
from perf_assets.sources.git.commits import READ, commit_row, moment, names_encoding
from perf_assets.sources.git.history import list_commits
from perf_assets.sources.git.line_changes import Counts, borrow_objects
from perf_assets.sources.git.mining import COMMITS, FILES, SIZES, Frames, describe, no_room
from perf_assets.sources.git.signatures import read_mailmap, with_signatures
from perf_assets.sources.git.unreadable import fetch_missing, now_readable, unreadable_commits

_CHANGE_TYPES = {
    ModificationType.ADD: "added",
    ModificationType.DELETE: "deleted",
    ModificationType.MODIFY: "modified",
    ModificationType.RENAME: "renamed",
    ModificationType.UNKNOWN: "modified",  # other permissions
}
_COMMIT_ROW: Columns = {**READ, "is_merge": pl.Boolean, **dict.fromkeys(SIZES, pl.Int64)}
_FILE_NAMES = ("sha", "path", "old_path", "change_type", *Counts._fields)
_FILE_ROW: Columns = {name: FILES[name] for name in _FILE_NAMES}
SHA1_DIGITS = 40
_LONGEST_REASON = 200  # of an error's text


_Row = tuple[object, ...]


class _Read(NamedTuple):
    """A commit and its files, as rows."""

    commit: _Row
    files: list[_Row]


def read_commits(
    clone: Clone,
    listed: pl.DataFrame | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Frames]:
    """Yield commits and their changed files by PyDriller, batch by batch.

    Parameters, frames and errors are those of ``mining.read_commits``. Commits are requested one by
    one from ``pydriller.Git``: a filtered ``pydriller.Repository`` makes the same objects, but goes
    through the whole history for every few new commits.
    """
    if len(clone.tip) != SHA1_DIGITS:
        raise PerfAssetsError(
            f"PyDriller cannot read {clone.path}, a repository of SHA-256: remove "
            'miner = "pydriller" of it from the study file'
        )
    listed = list_commits(clone) if listed is None else listed
    shas = listed["sha"].to_list()
    try:
        with tempfile.TemporaryDirectory(prefix="perf-assets-") as place:
            git = _opened(clone, Path(place))
            read: dict[str, _Read] = {}
            reasons: dict[str, str] = {}
            first = 0
            for done, sha in enumerate(shas, 1):
                _read(clone, git, sha, read, reasons)
                files = sum(len(result.files) for result in read.values())
                if done < len(shas) and done - first < PIECE_COMMITS and files < PIECE_FILES:
                    continue
                yield _frames(clone, listed[first:done], read, reasons)
                on_progress(done, len(shas))
                first, read, reasons = done, {}, {}
            git.clear()
    except OSError as error:
        raise no_room(str(error)) from None


def _opened(clone: Clone, place: Path) -> pydriller.Git:
    """Open a repository at ``place`` that borrows the objects of ``clone``.

    PyDriller writes into the configuration of what it opens. The borrowing repository has no
    settings, attributes, replaced objects or submodules of its own either.
    """
    (place / "objects").mkdir()
    (place / "refs").mkdir()
    (place / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    (place / "config").write_text("[core]\n\tbare = true\n", encoding="ascii")
    borrow_objects(clone.path.absolute(), place / "objects")
    git = pydriller.Git(str(place))
    settings = {"core.attributesFile": os.devnull, "attr.tree": EMPTY_TREES[len(clone.tip)]}
    variables = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_DIR": str(place)}
    for number, (name, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    clean = local_environment(variables)
    # GitPython adds to the variables of this process, and can remove none.
    unset = dict.fromkeys((name for name in os.environ if name.startswith("GIT_")), "")
    unset |= {"GIT_OBJECT_DIRECTORY": str(place / "objects"), "GIT_COMMON_DIR": str(place)}
    git.repo.git.update_environment(**(unset | clean))
    return git


def _read(
    clone: Clone, git: pydriller.Git, sha: str, read: dict[str, _Read], reasons: dict[str, str]
) -> None:
    """Add the commit ``sha`` to ``read``, or why PyDriller cannot read it to ``reasons``."""
    try:
        read[sha] = _rows(git, sha)
    except OSError:
        raise
    except Exception as error:  # PyDriller and GitPython raise anything
        reason = _reason(clone, sha, error)
        fetch_missing(clone.path, clone.url, [reason])
        if not now_readable(clone.path, [reason]):
            reasons[sha] = reason
            return
        read[sha] = _rows(git, sha)


def _reason(clone: Clone, sha: str, error: Exception) -> str:
    """Return the reason why PyDriller cannot read a commit; PerfAssetsError for a damaged clone."""
    found = unreadable_commits(clone, [sha])
    if found:
        return found[sha]
    if isinstance(error, GitCommandError):
        raise damaged(clone.path, GitError(str(error.stderr))) from None
    said = shortened(" ".join(str(error).split()), _LONGEST_REASON)
    return f"PyDriller fails: {type(error).__name__}: {said}".rstrip(": ")


def _rows(git: pydriller.Git, sha: str) -> _Read:
    commit = git.get_commit(sha)
    row = (*_text_row(git, commit), commit.merge, commit.insertions, commit.deletions, commit.files)
    return _Read(row, _file_rows(git, commit))


def _text_row(git: pydriller.Git, commit: Commit) -> _Row:
    """Return sha, parents, author, address, seconds and message of ``commit``."""
    stored = git.repo.odb.stream(commit._c_object.binsha).read()
    if names_encoding(stored):
        return commit_row(commit.hash, stored)
    return (
        commit.hash,
        commit.parents,
        _text(commit.author.name),
        _text(commit.author.email),
        int(commit.author_date.timestamp()),
        _text(commit.msg),
    )


def _file_rows(git: pydriller.Git, commit: Commit) -> list[_Row]:
    """Return the rows of the files that ``commit`` changes, in git's order."""
    changes = _changes(_modified_files(commit))
    by_git: list[Counts] | None = None
    rows: list[_Row] = []
    for number, (file, is_type_change) in enumerate(changes):
        old, new = _paths(file)
        lines = None if is_type_change else _lines(file)
        if lines is None:
            by_git = by_git or _numstat(git, commit)
            lines = by_git[number]
        kind = "type_changed" if is_type_change else _CHANGE_TYPES[file.change_type]
        path = old if kind == "deleted" else new
        rows.append((commit.hash, path, old if kind == "renamed" else None, kind, *lines))
    return rows


def _modified_files(commit: Commit) -> Sequence[ModifiedFile]:
    """Return the files of ``commit``, those of a merge against its first parent."""
    if not commit.merge:
        return list(commit.modified_files)
    made = commit._c_object
    return [ModifiedFile(diff) for diff in made.parents[0].diff(made, create_patch=True)]


def _changes(files: Sequence[ModifiedFile]) -> list[tuple[ModifiedFile, bool]]:
    """Return each changed file, and whether it is of another type now: one of two entries."""
    changes: list[tuple[ModifiedFile, bool]] = []
    for file in files:
        before = changes[-1][0] if changes else None
        if (
            before is not None
            and before.change_type == ModificationType.DELETE
            and file.change_type == ModificationType.ADD
            and _paths(before)[0] == _paths(file)[1]
        ):
            changes[-1] = (file, True)
        else:
            changes.append((file, False))
    return changes


def _paths(file: ModifiedFile) -> tuple[str | None, str | None]:
    """Return the paths of a file before and after the change."""
    diff = file._c_diff
    old, new = diff.a_rawpath, diff.b_rawpath
    if old and new and old != new and not diff.raw_rename_from:
        # GitPython cut "a/PATH b/PATH" at the first " b/"; both halves are the same.
        both = old + b" b/" + new
        old = new = both[: (len(both) - len(b" b/")) // 2]
    return _name(old), _name(new)


def _name(path: bytes | None) -> str | None:
    return path.decode("utf-8", "backslashreplace") if path else None


def _lines(file: ModifiedFile) -> Counts | None:
    """Return the lines that PyDriller counts; None without a patch."""
    patch = file.diff
    if patch.startswith("Binary files "):
        return Counts(0, 0, is_binary=True)
    if patch or file.change_type in {ModificationType.ADD, ModificationType.DELETE}:
        return Counts(file.added_lines, file.deleted_lines, is_binary=False)
    return None


def _numstat(git: pydriller.Git, commit: Commit) -> list[Counts]:
    """Return git's own counts of the changed files of a commit that has a parent, in order."""
    printed = git.repo.git.diff(
        commit.parents[0], commit.hash, "--numstat", "-z", "-M", stdout_as_string=False
    )
    counts = []
    parts = iter(printed.split(b"\0"))
    for part in parts:
        if not part:
            continue
        additions, deletions, path = part.split(b"\t", 2)
        if not path:  # renamed: both paths follow
            next(parts), next(parts)
        counts.append(Counts.of(additions.decode(), deletions.decode()))
    return counts


def _text(text: str | bytes | None) -> str | None:
    """Return ``text`` without white space around it; None where nothing is left."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return (text or "").encode("utf-8", "replace").decode().strip() or None


def _frames(
    clone: Clone, listed: pl.DataFrame, read: dict[str, _Read], reasons: dict[str, str]
) -> Frames:
    """Return the frames of the ``listed`` commits, those that cannot be read among them."""
    mailmap = read_mailmap(clone)
    commits = pl.DataFrame(
        [result.commit for result in read.values()], schema=_COMMIT_ROW, orient="row"
    ).with_columns(moment("authored_at"), unreadable=pl.lit(None, pl.String))
    commits = with_signatures(commits, mailmap)
    unreadable = describe(clone, list(reasons)).with_columns(
        *(pl.lit(None, pl.Int64).alias(name) for name in SIZES),
        unreadable=pl.Series(reasons.values(), dtype=pl.String),
    )
    both = pl.concat([commits, unreadable.select(commits.columns)])
    commits = listed.join(both, on="sha", maintain_order="left").select(*COMMITS)
    files = pl.DataFrame(
        [row for result in read.values() for row in result.files], schema=_FILE_ROW, orient="row"
    ).with_columns(unique_names)
    files = files.join(listed, on="sha", maintain_order="left").select(*FILES)
    return commits, files
