"""Notebooks of Jupyter as Python: the code cells one after the other, and where each line stands.

The format is that of nbformat, versions 3 and 4. IPython takes lines that are not Python: those of
magics (`%`), of the shell (`!`) and of help (`?`). They are blanked where they are, so that
nothing moves; where such a line gives a value to a name (`files = !ls`), a call of `get_ipython`
does, as IPython itself has it, so that nobody takes the name for unset.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from perf_assets.lint.findings import Finding, Related, Unreadable
from perf_assets.lint.python_two import looks_like_python_two

VERSIONS = (3, 4)
SMALL = 20_000  # characters, which no parser lacks the memory for
PYTHON = ("python", "ipython", "python3", "python2", "")
# Magics of a whole cell whose body is Python that runs in the notebook's own process.
PYTHON_CELLS = frozenset(
    ["time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "debug", "pyinstrument"]
)
# Those of Databricks for a cell in another language, which `%run` and others of one line are not.
_OTHER_LANGUAGE = re.compile(r"\s*%(?:sql|r|scala|md|md-sandbox|sh|fs)(?:\s|$)")
_LINE_IN_WORDS = re.compile(r"\bline (\d{1,9})\b")
_CELL_MAGIC = re.compile(r"\s*%%\s*(?P<name>\w*)[^\n]*")
_LINE = re.compile(
    r"""
    (?P<indent>[ \t]*)
    (?: (?P<given>[A-Za-z_][\w.,\[\] \t]*=[ \t]*)[%!]
      | [%!?]
      | [%\w.*]+[ \t]*\?{1,2}[ \t]*(?:\#.*)?$ )
    """,
    re.VERBOSE,
)
# What opens and closes within a logical line, and the texts in which nothing does.
_PARTS = re.compile(
    r"""
    \#[^\n]* | (?P<open>[\(\[\{]) | (?P<close>[\)\]\}]) | (?P<joined>\\\n) | (?P<line>\n)
    | \"{3} (?:\\.|[^\\])*? (?:\"{3}|\Z) | '{3} (?:\\.|[^\\])*? (?:'{3}|\Z)
    | \" (?:\\.|[^\\\n\"])* \"? | ' (?:\\.|[^\\\n'])* '?
    """,
    re.VERBOSE | re.DOTALL,
)


class CellLine(NamedTuple):
    """Where a line of code stands, from 1: line of the file, number and line of the cell."""

    line: int
    cell: int
    cell_line: int

    def __str__(self) -> str:
        """Return the line and its cell, in words."""
        return f"line {self.cell_line} of cell {self.cell}"


class BrokenCell(NamedTuple):
    """A cell that could not be read: its number, and why (see `Unreadable`)."""

    cell: int
    reason: str
    message: str


@dataclass(frozen=True)
class Notebook:
    """The code of a notebook.

    Attributes
    ----------
    text
        Its code cells as one module, each ended by a newline. A broken cell is blank lines.
    cell_lines
        Where each line of the text stands. Cells are counted with those that hold no code.
    broken
        The cells that could not be read.
    """

    text: str
    cell_lines: tuple[CellLine, ...]
    broken: tuple[BrokenCell, ...] = ()

    def located(self, finding: Finding) -> Finding:
        """Return a finding in the text as one in the file; its message says the cell and the line
        there.

        The columns stay those of the line in the cell. Nothing mends a notebook.
        """
        cell_line = self.cell_lines[finding.line - 1]
        message = _LINE_IN_WORDS.sub(self._place, finding.message)
        return finding._replace(
            line=cell_line.line,
            end_line=self.cell_lines[finding.end_line - 1].line,
            message=f"{message} (cell {cell_line.cell}, line {cell_line.cell_line})",
            related=tuple(self._related(entry) for entry in finding.related),
            edits=(),
        )

    def _related(self, entry: Related) -> Related:
        there = self.cell_lines[entry.line - 1]
        message = _LINE_IN_WORDS.sub(self._place, entry.message)
        return Related(there.line, message, str(there))

    def _place(self, found: re.Match[str]) -> str:
        """Return the place of a line of the text that a message names."""
        line = int(found[1])
        return str(self.cell_lines[line - 1]) if 0 < line <= len(self.cell_lines) else found[0]


class _Cell(NamedTuple):
    number: int
    source: str
    lines: tuple[int, ...]


def python_of(content: str) -> Notebook:
    """Return the Python of a notebook.

    Parameters
    ----------
    content
        Text of the `.ipynb` file, its line ends as they are.

    Raises
    ------
    Unreadable
        It is not JSON, no notebook of version 3 or 4, or none of Python (`notebook`); it is nested
        too deeply (`depth`); each cell with code is Python 2 or does not parse (`python_2`,
        `syntax`).
    """
    try:
        loaded = _with_lines(content)
    except RecursionError:
        raise Unreadable("depth", "its JSON is nested too deeply") from None
    except ValueError as error:
        raise Unreadable("notebook", f"it is not JSON: {error}") from None
    _refuse(loaded)
    texts: list[str] = []
    cell_lines: list[CellLine] = []
    broken: list[BrokenCell] = []
    for cell in _code_cells(loaded):
        try:
            text = _parsing(cell)
        except Unreadable as error:
            broken.append(BrokenCell(cell.number, error.reason, str(error)))
            text = "\n" * cell.source.count("\n")
        texts.append(text + "\n")
        rows = text.count("\n") + 1
        lines = (*cell.lines, *[cell.lines[-1]] * rows)[:rows]
        cell_lines += [CellLine(line, cell.number, row) for row, line in enumerate(lines, 1)]
    if broken and not "".join(texts).strip():
        raise Unreadable(broken[0].reason, f"cell {broken[0].cell}, {broken[0].message}")
    # The last newline ends the last line, and a parser may name what comes after it.
    last = cell_lines[-1] if cell_lines else CellLine(1, 1, 1)
    return Notebook("".join(texts), (*cell_lines, last), tuple(broken))


def _refuse(loaded: Any) -> None:  # noqa: ANN401
    version = loaded.get("nbformat") if isinstance(loaded, dict) else None
    if version not in VERSIONS or isinstance(version, bool):
        shown = "no nbformat" if version is None else f"nbformat {str(version)[:20]}"
        raise Unreadable("notebook", f"it has {shown}, and versions 3 and 4 are known")
    holder = "cells" if version == VERSIONS[1] else "worksheets"
    if not isinstance(loaded.get(holder), list):
        raise Unreadable("notebook", f"it has no list of {holder}")
    about = loaded.get("metadata")
    about = about if isinstance(about, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        part = about.get(key)
        language = part.get(name) if isinstance(part, dict) else None
        if isinstance(language, str):
            if language.lower() not in PYTHON:
                raise Unreadable("notebook", f"its language is {language[:40]}")
            return


def _parsing(cell: _Cell) -> str:
    """Return the Python of a cell: as it is where it parses, else without what only IPython
    takes; blank lines for a cell in another language.

    Raises
    ------
    Unreadable
        It does not parse: in which line, and why.
    """
    if _parses(cell.source) is None:
        return cell.source
    text = without_magics(cell.source)
    error = _parses(text)
    if error is None:
        return text
    # As a line of Jupyter's, `%sql` may stand before Python, which parses.
    if _OTHER_LANGUAGE.match(cell.source):
        return "\n" * cell.source.count("\n")
    line, why = error
    if looks_like_python_two(text):
        raise Unreadable("python_2", f"line {line} is Python 2")
    raise Unreadable("syntax", f"line {line}: {why}")


def _parses(text: str) -> tuple[int, str] | None:
    """Return where and why a text does not parse; None where it does."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 1, str(error.msg)
    except ValueError as error:
        return 1, str(error)
    except (RecursionError, MemoryError) as error:
        # The parser says so where it is too deep for it, too.
        if isinstance(error, MemoryError) and len(text) > SMALL:
            raise
        raise Unreadable("depth", "it is nested too deeply") from None
    return None


def without_magics(source: str) -> str:
    """Return a cell without what only IPython takes, each line at its position.

    Parameters
    ----------
    source
        The text of a cell, lines ended by newlines.
    """
    while magic := _CELL_MAGIC.match(source):  # the body of one may begin with another
        if magic["name"] not in PYTHON_CELLS:
            return "\n" * source.count("\n")
        source = "\n" * magic[0].count("\n") + source[magic.end() :]
    kept: list[str] = []
    position = 0
    while position < len(source):
        end = _end_of_line(source, position)
        found = _LINE.match(source[position:end].rstrip("\n"))
        if found is None:
            # Only what begins a logical line can be a magic, so the rest of this one is passed by.
            end = _end_of_logical_line(source, position)
            kept.append(source[position:end])
        else:
            while source.endswith("\\\n", position, end):
                end = _end_of_line(source, end)
            value = f"{found['given']}get_ipython()" if found["given"] else "pass"
            kept += [found["indent"], value, "\n" * source.count("\n", position, end)]
        position = end
    return "".join(kept)


def _end_of_line(text: str, position: int) -> int:
    found = text.find("\n", position)
    return len(text) if found < 0 else found + 1


def _end_of_logical_line(text: str, position: int) -> int:
    depth = 0
    for part in _PARTS.finditer(text, position):
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth = max(0, depth - 1)
        elif part["line"] and not depth:
            return part.end()
    return len(text)


class _Text(str):
    """A string of a document that knows the line in which it begins."""

    __slots__ = ("line",)
    line: int


def _with_lines(content: str) -> Any:  # noqa: ANN401
    """JSON as Python values, of which texts are `_Text`; keys are not."""
    counted, line = 0, 1

    def parse_string(text: str, start: int, strict: bool) -> tuple[_Text, int]:
        nonlocal counted, line
        value, end = scanstring(text, start, strict)
        line += text.count("\n", counted, start)
        counted = start
        located_text = _Text(value)
        located_text.line = line
        return located_text, end

    decoder: Any = JSONDecoder()
    decoder.parse_string = parse_string
    # The scanner in C has texts of its own.
    decoder.scan_once = py_make_scanner(decoder)
    return decoder.decode(content)


def _code_cells(notebook: dict[str, Any]) -> Iterator[_Cell]:
    if notebook["nbformat"] == VERSIONS[1]:
        cells, key = notebook["cells"], "source"
    else:
        sheets = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in _list(sheet.get("cells"))]
        key = "input"
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        if str(cell.get("language", "")).lower() in PYTHON:
            source, lines = _joined(_list(cell.get(key)))
            yield _Cell(number, source, lines)


def _list(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) else []


def _joined(parts: list[Any]) -> tuple[str, tuple[int, ...]]:
    """Return the text of a cell, and the line of the file in which each of its lines begins."""
    texts = [part for part in parts if isinstance(part, _Text)]
    if not texts:
        return "", (1,)
    lines = [texts[0].line]
    is_begun = False
    for text in texts:
        if not is_begun:
            lines[-1] = text.line
        lines += [text.line] * text.count("\n")
        is_begun = not text.endswith("\n") and (is_begun or text != "")
    # A carriage return ends no line of its own here: cells are kept with newlines.
    return "".join(texts).replace("\r\n", "\n").replace("\r", " "), tuple(lines)
