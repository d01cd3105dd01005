"""Languages: what a changed file is written in, whether it is a test, which lines are code."""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from pathlib import PurePosixPath

import polars as pl
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Literal, _TokenType

OTHER = "Other"
"""The language of a file that the rules below do not know."""

# Programming languages: Pygments' name of the lexer, and suffixes or whole file names. Headers
# count as C++, as in PyDriller; a language without comments of its own takes a relative's lexer.
_CODE = {
    "Assembly": ("gas", ".s .asm"),
    "Batchfile": ("batch", ".bat .cmd"),
    "C": ("c", ".c"),
    "C#": ("csharp", ".cs"),
    "C++": ("cpp", ".cc .cpp .cxx .h .hh .hpp .hxx .inl .ipp .tcc"),
    "CMake": ("cmake", ".cmake cmakelists.txt"),
    "CUDA": ("cuda", ".cu .cuh .hip"),
    "Cython": ("cython", ".pyx .pxd .pxi"),
    "Dockerfile": ("docker", ".dockerfile dockerfile"),
    "Fortran": ("fortran", ".f .for .f90 .f95 .f03 .f08"),
    "Go": ("go", ".go"),
    "Haskell": ("haskell", ".hs"),
    "Java": ("java", ".java"),
    "JavaScript": ("javascript", ".js .cjs .mjs .jsx"),
    "Julia": ("julia", ".jl"),
    "Kotlin": ("kotlin", ".kt .kts"),
    "Lua": ("lua", ".lua"),
    "Makefile": ("make", ".mk makefile"),
    "Metal": ("cpp", ".metal"),
    "OCaml": ("ocaml", ".ml .mli"),
    "Objective-C": ("objective-c", ".m"),
    "Objective-C++": ("objective-c++", ".mm"),
    "OpenCL": ("c", ".cl"),
    "PHP": ("php", ".php"),
    "Perl": ("perl", ".pl .pm"),
    "PowerShell": ("powershell", ".ps1 .psm1"),
    "Protocol Buffers": ("protobuf", ".proto"),
    "Python": ("python", ".py .pyi .pyw"),
    "R": ("r", ".r"),
    "Ruby": ("ruby", ".rb"),
    "Rust": ("rust", ".rs"),
    "SQL": ("sql", ".sql"),
    "Scala": ("scala", ".scala"),
    "Shell": ("bash", ".sh .bash .zsh"),
    "Starlark": ("python", ".bzl .bazel build workspace"),
    "Swift": ("swift", ".swift"),
    "TypeScript": ("typescript", ".ts .tsx .mts .cts"),
}
# What is written for people or holds settings and data.
_TEXT = {
    "CSS": ".css .scss .less",
    "CSV": ".csv .tsv",
    "HTML": ".html .htm",
    "INI": ".ini .cfg .conf",
    "JSON": ".json",
    "Jupyter Notebook": ".ipynb",
    "Markdown": ".md .markdown",
    "TOML": ".toml",
    "TeX": ".tex .bib",
    "Text": ".txt",
    "XML": ".xml .svg",
    "YAML": ".yml .yaml",
    "reStructuredText": ".rst",
}
_LANGUAGES = {
    suffix: language
    for suffixes in ({name: words for name, (_, words) in _CODE.items()}, _TEXT)
    for language, words in suffixes.items()
    for suffix in words.split()
}

_TEST_DIRECTORY = re.compile(r"tests?|unit_?tests?|__tests__|test_?data|.+_tests?", re.IGNORECASE)
_TEST_FILE = re.compile(
    r"(?i:tests?|conftest|test_.*|.*[_-]tests?|.*_spec|.*\.(test|spec))|.*[a-z\d](Test|Tests|Spec)"
)

# A documentation string is the first thing on its line and in three quotes, as Pygments has it.
_MARK = re.compile(
    r"(?P<doc>^[^\S\n]*[rRuUbB]{0,2}(?P<quotes>\"\"\"|'''))|(?P<comment>#[^\n]*)"
    r"|(?P<prefix>(?<!\w)\w*+)(?P<string>\"\"\"|'''|\"|')",
    re.MULTILINE,
)
_REST = {
    '"': re.compile(r'(?:\\.|[^\\\n"])*(?:"|$)', re.DOTALL | re.MULTILINE),
    "'": re.compile(r"(?:\\.|[^\\\n'])*(?:'|$)", re.DOTALL | re.MULTILINE),
    '"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL),
    "'''": re.compile(r"(?:\\.|[^\\])*?'''", re.DOTALL),
}
_PLAIN = frozenset(["", "u", "U", "b", "B"])


def language_of(path: str) -> str:
    """Return the language of a file by its name or suffix, :data:`OTHER` if unknown."""
    name = PurePosixPath(path).name.lower()
    whole = _LANGUAGES.get(name)
    return whole or _LANGUAGES.get(PurePosixPath(name).suffix, OTHER)


def is_test(path: str) -> bool:
    """Return whether the file at ``path`` is test code or test data.

    One of its directories is called test, tests, unittest(s), __tests__ or testdata, or ends in
    _test(s); or the file's own name says so: test_x, x_test, conftest, XTest, x.spec. Helpers for
    tests that ship with the product (a directory ``testing``) are source.
    """
    *directories, name = PurePosixPath(path).parts or ("",)
    if any(_TEST_DIRECTORY.fullmatch(directory) for directory in directories):
        return True
    return _TEST_FILE.fullmatch(PurePosixPath(name).stem) is not None


def is_source(path: str) -> bool:
    """Return whether the file at ``path`` is written in a programming language, and no test."""
    return language_of(path) in _CODE and not is_test(path)


def language_totals(files: pl.DataFrame) -> pl.DataFrame:
    """Return what each commit changed in each language, tests apart.

    Parameters
    ----------
    files : ``raw.commit_files``: sha, path, additions, deletions.

    Returns
    -------
    sha : one row for each commit that has files.
    languages : list of language, is_test, files, additions, deletions, by language.
    test_share : lines added and removed in tests, of all; 0 to 1, NULL where no line changed.
    """
    paths = files["path"].unique()
    kinds = pl.DataFrame(
        {
            "path": paths,
            "language": pl.Series([language_of(path) for path in paths], dtype=pl.String),
            "is_test": pl.Series([is_test(path) for path in paths], dtype=pl.Boolean),
        }
    )
    lines = pl.col("additions") + pl.col("deletions")
    totals = (
        files.join(kinds, on="path")
        .group_by("sha", "language", "is_test")
        .agg(pl.len().cast(pl.Int64).alias("files"), pl.col("additions", "deletions").sum())
        .sort("sha", "language", "is_test")
    )
    # 0 / 0 is not a number, and no share.
    share = (lines * pl.col("is_test")).sum() / lines.sum()
    return totals.group_by("sha", maintain_order=True).agg(
        languages=pl.struct("language", "is_test", "files", "additions", "deletions"),
        test_share=share.fill_nan(None),
    )


def code_lines(path: str, text: str, last: int | None = None) -> set[int]:
    """Return the numbers (from 1) of the lines of ``text`` that hold code: no blanks, no comments.

    A line within a documentation string holds none, a preprocessor line does. ``path`` must be in
    a programming language. Lines after the number ``last`` are not looked at, which saves time.
    """
    lexer = _CODE[language_of(path)][0]
    last = last or text.count("\n") + 1
    plain = python_code_lines(text, last) if lexer == "python" else None
    return lexed_lines(lexer, text, last) if plain is None else plain


def lexed_lines(lexer: str, text: str, last: int) -> set[int]:
    """Return the lines up to ``last`` that hold code, not comments, by Pygments' ``lexer``."""
    lines = text.split("\n")
    ends = list(accumulate(len(line) + 1 for line in lines))
    end = ends[min(last, len(ends)) - 1]
    found: set[int] = set()
    for position, kind, value in _lexer(lexer).get_tokens_unprocessed(text):
        if position >= end:
            break
        if not value.strip() or _is_comment(kind):
            continue
        first = position + len(value) - len(value.lstrip())
        final = position + len(value.rstrip()) - 1
        found.update(range(bisect_right(ends, first) + 1, bisect_right(ends, final) + 2))
    return {number for number in found if number <= last and lines[number - 1].strip()}


def _is_comment(kind: _TokenType) -> bool:
    if kind in Comment.Preproc or kind in Comment.PreprocFile:
        return False
    return kind in Comment or kind in Literal.String.Doc


@lru_cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name)


def python_code_lines(text: str, last: int) -> set[int] | None:
    """Return the lines of Python up to ``last`` that hold code; None if it takes a lexer.

    In a tenth of the time of a lexer, whose answer this equals: only where comments and strings
    begin and end matters. Raw strings, f-strings and strings without an end are left to the lexer.
    """
    lines = text.split("\n")
    ends = list(accumulate(len(line) + 1 for line in lines))
    end = ends[min(last, len(ends)) - 1]
    blanked = []
    position = kept = 0
    while position < end and (mark := _MARK.search(text, position)) and mark.start() < end:
        position = _end_of(mark, text)
        if position < 0:
            return None
        if mark["string"] is None:
            # The letter before a documentation string is code to the lexer.
            start = mark.start("comment" if mark["doc"] is None else "quotes")
            blanked += [text[kept:start], "\n" * text.count("\n", start, position)]
            kept = position
    rest = "".join([*blanked, text[kept:]]).split("\n")
    return {number for number, line in enumerate(rest[:last], 1) if line.strip()}


def _end_of(mark: re.Match[str], text: str) -> int:
    """Return where what begins at a mark ends; -1 where that is not plain."""
    if mark["comment"] is not None:
        return mark.end()
    if mark["doc"] is not None:
        end = text.find(mark["quotes"], mark.end())
        return end if end < 0 else end + 3
    rest = _REST[mark["string"]].match(text, mark.end()) if mark["prefix"] in _PLAIN else None
    return -1 if rest is None else rest.end()
