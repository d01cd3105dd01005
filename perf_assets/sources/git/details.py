"""What PyDriller adds to git's own numbers: methods, complexity, maintainability of a commit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any, NamedTuple

import lizard  # type: ignore[import-untyped]
from git import Diff
from pydriller.domain.commit import Commit, Method, ModifiedFile

# The options with which GitPython compares two commits for PyDriller.
PATCH = ("--abbrev=40", "--full-index", "-M", "-p", "--no-ext-diff", "--no-color")

_REGULAR = {0o100644, 0o100755, None, 0}  # modes of a file, and of a side that is not there

Details = dict[str, Any]


class _Analysis(NamedTuple):
    """What lizard finds in one version of a file."""

    nloc: int | None
    complexity: int | None
    methods: Sequence[Method]


_ANALYSED: dict[tuple[str, str], _Analysis] = {}
_MOST_ANALYSED = 500


@dataclass(frozen=True)
class _Objects:
    """A repository as GitPython's objects need one: the contents of blobs, already read."""

    contents: Mapping[str, bytes]
    submodules = ()

    @property
    def odb(self) -> "_Objects":
        return self

    def stream(self, name: bytes) -> BytesIO:
        return BytesIO(self.contents[name.hex()])


@dataclass(frozen=True)
class _Printed:
    """A git process, as GitPython reads one, that has already printed its patch."""

    patch: bytes

    @property
    def stdout(self) -> BytesIO:
        return BytesIO(self.patch)

    stderr = None

    def wait(self, **_: object) -> int:
        return 0


class _File(ModifiedFile):  # type: ignore[misc]
    """PyDriller's file, each version of which is parsed once, also where it has no methods."""

    @cached_property
    def after(self) -> _Analysis:
        return self._analysis(self._c_diff.b_blob)

    @cached_property
    def before(self) -> _Analysis:
        return self._analysis(self._c_diff.a_blob)

    @property
    def methods(self) -> Sequence[Method]:
        return self.after.methods

    @property
    def methods_before(self) -> Sequence[Method]:
        return self.before.methods

    def _analysis(self, blob: Any) -> _Analysis:  # noqa: ANN401
        content = self._get_undecoded_content(blob)
        if not content or not self.language_supported:
            return _Analysis(None, None, ())
        return _analysed(self.filename, blob.hexsha, content)


def _analysed(name: str, blob: str, content: bytes) -> _Analysis:
    """Return PyDriller's analysis of a file; two fixes often share a version."""
    cached = _ANALYSED.get((name, blob))
    if cached is not None:
        return cached
    text = content.decode("utf-8", "ignore")
    if not text:
        return _Analysis(None, None, ())
    found = analyse(name, text)
    methods = [Method(method) for method in found.function_list]
    if len(_ANALYSED) >= _MOST_ANALYSED:
        _ANALYSED.clear()
    return _ANALYSED.setdefault((name, blob), _Analysis(found.nloc, found.CCN, methods))


class _Commit(Commit):  # type: ignore[misc]
    """PyDriller's commit, made of the files that it changes."""

    def __init__(self, files: Sequence[_File]) -> None:
        self._files = files

    @property
    def modified_files(self) -> Sequence[_File]:
        return self._files


def read_details(patch: bytes, contents: Mapping[str, bytes]) -> Details:
    """Return PyDriller's results for a commit that is not a merge.

    Parameters
    ----------
    patch : what git prints with the options ``PATCH``.
    contents : by name, all versions of the files in it.

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
    compared = Diff._index_from_patch_format(
        _Objects(contents),  # type: ignore[arg-type]
        _Printed(patch),  # type: ignore[arg-type]
    )
    # Submodules and links are left out: they have no content to parse, whatever their name.
    regular = [diff for diff in compared if {diff.a_mode, diff.b_mode} <= _REGULAR]
    files = [file for file in map(_File, regular) if file.language_supported]
    commit = _Commit(files)
    methods = sorted(
        {
            f"{file.new_path or file.old_path}::{method.long_name}"
            for file in files
            for method in file.changed_methods
        }
    )
    after = sum(file.after.complexity or 0 for file in files)
    before = sum(method.complexity for file in files for method in file.methods_before)
    return {
        "analysed_files": len(files),
        "changed_methods": methods,
        "methods_changed": len(methods),
        "nloc": sum(file.after.nloc or 0 for file in files) if files else None,
        "complexity": after if files else None,
        "complexity_change": after - before if files else None,
        "dmm_unit_size": commit.dmm_unit_size,
        "dmm_unit_complexity": commit.dmm_unit_complexity,
        "dmm_unit_interfacing": commit.dmm_unit_interfacing,
    }


def analyse(name: str, text: str) -> Any:  # noqa: ANN401 - lizard has no types
    """Return lizard's analysis of a file without its numbers of tokens, in less time."""
    return _ANALYZER.analyze_source_code(name, text)


def _counted(tokens: Iterable[str], reader: Any) -> Iterator[str]:  # noqa: ANN401
    """Count comments, lines and conditions in one pass.

    Lizard passes each token through several counters, which is a third of the time.
    """
    context, conditions = reader.context, reader.conditions
    comment_of = reader.get_comment_from_token
    context.current_line = line = 1
    begun = 1  # lines of which no token was seen yet
    for token in tokens:
        if token == "\n":
            context.current_line = line = line + 1
            begun = 1
            continue
        comment = comment_of(token)
        if comment is not None:
            # It yields the ends of the comment's lines, and follows the directives for lizard in
            # it.
            for _ in lizard.comment_counter((token,), reader):
                context.current_line = line = line + 1
                begun = 1
            if "GENERATED CODE" in comment:
                return
            continue
        if begun or "\n" in token:
            ends = token.count("\n")
            context.current_line = line = line + ends
            context.add_nloc(ends + begun)
            begun = 0
        else:
            context.current_function.end_line = line
            context.newline = False
        if token in conditions:
            context.add_condition()
        yield token


_ANALYZER = lizard.FileAnalyzer([lizard.preprocessing, _counted])
