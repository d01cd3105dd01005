"""What PyDriller adds to git's own numbers: methods, complexity, maintainability of a commit."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from git import Diff, Repo
from pydriller import Git
from pydriller.domain.commit import Commit, Method, ModifiedFile

from perf_assets.sources.git.changed_files import LARGEST_FILE, ChangedFile, shown

LARGEST_COMMIT = 8_000_000  # bytes, all versions of all files together

Details = dict[str, Any]


class ReadOnlyGit(Git):  # type: ignore[misc]
    """PyDriller's repository, opened without the setting that it writes to the clone."""

    def _open_repository(self) -> None:
        self._repo = Repo(str(self.path))


class _File(ModifiedFile):  # type: ignore[misc]
    """PyDriller's file, which parses its old version once, also where that has no methods."""

    @cached_property
    def methods_before(self) -> list[Method]:
        methods: list[Method] = super().methods_before
        return methods


class _Commit(Commit):  # type: ignore[misc]
    """PyDriller's commit, which keeps its files: each metric would compare and parse anew.

    Submodules and links are left out: they have no content to parse, whatever their name.
    """

    @cached_property
    def modified_files(self) -> list[ModifiedFile]:
        return [file for file in super().modified_files if _is_regular(file)]

    def _parse_diff(self, diff_index: list[Diff]) -> list[ModifiedFile]:
        return [_File(diff=diff) for diff in diff_index]


def too_large(files: Sequence[ChangedFile]) -> str | None:
    """Why a commit with these ``files`` is not analysed; None when it is."""
    for file in files:
        if max(file.old_size, file.size) > LARGEST_FILE:
            return f"{shown(file.path)} is larger than {LARGEST_FILE:,} bytes"
    if sum(file.old_size + file.size for file in files) > LARGEST_COMMIT:
        return f"its files are larger than {LARGEST_COMMIT:,} bytes together"
    return None


def read_details(repository: ReadOnlyGit, sha: str) -> Details:
    """What PyDriller finds in the commit ``sha``, which is no merge.

    Returns
    -------
    analysed_files : changed files in a language that PyDriller (lizard) can parse.
    changed_methods : the methods that have a changed line, as ``path::signature``.
    methods_changed : their number.
    nloc, complexity : lines of code and cyclomatic complexity of these files after the commit,
        summed; None without such a file.
    complexity_change : their complexity after the commit less that before; None likewise.
    dmm_unit_size, dmm_unit_complexity, dmm_unit_interfacing : the Delta Maintainability Model
        (di Biase, Rahimi, Bruntink, van Deursen: The Delta Maintainability Model, TechDebt 2019),
        0 to 1, the share of the change that improves; None where no method changed its size.
    """
    commit = _Commit(repository.repo.commit(sha), repository._conf)
    files = [file for file in commit.modified_files if file.language_supported]
    methods = sorted(
        {
            f"{file.new_path or file.old_path}::{method.long_name}"
            for file in files
            for method in file.changed_methods
        }
    )
    after = sum(file.complexity or 0 for file in files)
    before = sum(method.complexity for file in files for method in file.methods_before)
    return {
        "analysed_files": len(files),
        "changed_methods": methods,
        "methods_changed": len(methods),
        "nloc": sum(file.nloc or 0 for file in files) if files else None,
        "complexity": after if files else None,
        "complexity_change": after - before if files else None,
        "dmm_unit_size": commit.dmm_unit_size,
        "dmm_unit_complexity": commit.dmm_unit_complexity,
        "dmm_unit_interfacing": commit.dmm_unit_interfacing,
    }


def _is_regular(file: ModifiedFile) -> bool:
    modes = {file._c_diff.a_mode, file._c_diff.b_mode} - {None, 0}
    return modes <= {0o100644, 0o100755}
