"""The environment of an issue: operating system, device, versions and data types that it states.

They are read from the fields of issue forms and templates, from the block that a framework's own
tool prints (``collect_env`` and its like), and from the text. A field says what its author was
asked; a word in the text may be about anything. So each value comes with its source, and for an
aspect that a field or block states the text is not read.

The examples of templates, as in ``(e.g., Linux Ubuntu 16.04)``, and HTML comments are left out:
they are nobody's environment.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import polars as pl

from perf_assets.core.labelling import environment_values as values
from perf_assets.core.markdown import without_comments
from perf_assets.schema import schema_of

OPERATING_SYSTEM, DEVICE, DATA_TYPE = "operating_system", "device", "data_type"
FRAMEWORK, PYTHON, CUDA = "framework_version", "python_version", "cuda_version"
FORM_FIELD, ENVIRONMENT_BLOCK, TEXT = "form_field", "environment_block", "text"

LONGEST_LINE = 500
"""Characters of a line that are read: fields are short, and logs are not."""

EVIDENCE_LENGTH = 200
"""Characters that are kept of what a value was read from."""

ALIASES = {
    "pytorch": ("torch", "libtorch"),
    "tensorflow": ("tf", "tensorflow-gpu", "tf-nightly"),
    "incubator-mxnet": ("mxnet",),
    "paddle": ("paddlepaddle",),
}
"""Other names under which the framework of a repository goes in the issues of it."""

EXAMPLE = re.compile(r"\((?:for example|e\.? ?g\.?|i\.?e\.?|such as|ex)[^()\n]{0,120}\)", re.I)
NO_WORD = re.compile(r"^\W*(?:\d{1,2}[.)])?|[^\w/-]+")
BESIDE_A_VALUE = " \t*_`=:>-"
LONGEST_LABEL, MOST_LABEL_WORDS = 60, 7
OF_CODE = re.compile(r"[@\"'=<>\[\]{}\\$]|\([^)]*$")
"""What no label of a field has in it."""
SECTION = re.compile(r"^-{4,}\s*(?P<name>[a-z]+) info\s*-{4,}$", re.I)
BLOCK = re.compile(
    r"^(?:collecting environment information|is debug build|cuda used to build|-{4,} ?\w+ info"
    r"|== check |platform: \w+-[\d.])",
    re.I | re.M,
)
LABEL_WORDS = (
    *("cuda", "python", "gpu", "os", "platform", "operating", "system", "device", "hardware"),
    *("accelerator", "framework", "type", "precision", "xla"),
)
# As for systems: a pattern is tried where one of these is in the text.
DEVICE_WORDS = ("gpu", "cpu", "tpu", "cuda")
DATA_TYPE_WORDS = (
    *("float", "fp16", "fp32", "fp64", "bf16", "int8", "int16", "int32", "int64"),
    "precision",
)
AFTER_A_HEADING = 3  # lines with something on them that may be the answer to a heading


class Stated(NamedTuple):
    """A value of an aspect, where it was found, and in which words."""

    aspect: str
    value: str
    source: str
    evidence: str


@dataclass(frozen=True)
class Reader:
    """Reads the issues of one repository, whose framework has the repository's name."""

    repository: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the framework."""
        name = self.repository.rpartition("/")[2].casefold()
        return (name, *ALIASES.get(name, ()))

    @cached_property
    def _framework_in_text(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        return re.compile(rf"\b(?:{names})(?: version)?(?: |-|==|: ?)v?(\d{{1,2}}\.\d{{1,3}})")

    @cached_property
    def _label_words(self) -> tuple[str, ...]:
        """One of these is in each label that is read."""
        return (*LABEL_WORDS, *self.names)

    @cached_property
    def _labels(self) -> tuple[tuple[re.Pattern[str], str, Callable[[str], Iterable[str]]], ...]:
        """Return which label of a field names which aspect, and how its value is read."""
        names = "|".join(map(re.escape, self.names))
        return tuple(
            (re.compile(label), aspect, read)
            for label, aspect, read in (
                (r"\bis cuda available\b|\bis xla\b", DEVICE, values.available),
                (r"\bcuda\b", CUDA, values.cuda_version),
                (r"\bpython\b(?!.*\b(?:package|path|bind))", PYTHON, values.python_version),
                (rf"^(?:{names}|framework)\b.*\bversion\b|^(?:{names})$", FRAMEWORK, self._release),
                (r"\bgpus?\b|\bhardware\b|\bdevices?\b|\baccelerator", DEVICE, values.devices),
                (
                    r"\bos\b|\boperating system\b|^platform$|^system$",
                    OPERATING_SYSTEM,
                    values.systems,
                ),
                (r"^d-?types?$|\bdata types?\b|\bprecision\b", DATA_TYPE, values.data_types),
            )
        )

    def read(self, title: str, body: str | None) -> list[Stated]:
        """Return what an issue states, each value of an aspect once, in the order of the aspects.

        Examples
        --------
        >>> [stated[:3] for stated in Reader("pytorch/pytorch").read("slow", "- OS: Ubuntu 18.04")]
        [('operating_system', 'linux', 'form_field')]
        """
        text = EXAMPLE.sub("", without_comments(body or ""))
        found: dict[tuple[str, str], Stated] = {}
        for stated in self._fields(text):
            found.setdefault(stated[:2], stated)
        asked = {aspect for aspect, _ in found}
        for stated in self._words(f"{title}\n{text}"):
            if stated.aspect not in asked:
                found.setdefault(stated[:2], stated)
        return sorted(found.values())

    def _fields(self, text: str) -> Iterator[Stated]:
        opening = BLOCK.search(text)
        block = text.count("\n", 0, opening.start()) if opening else -1
        section = waiting = ""
        left = 0
        for number, whole in enumerate(text.split("\n")):
            line = whole[:LONGEST_LINE].strip()
            if not line:
                continue
            if line.startswith("----") and (named := SECTION.match(line)):
                section = named["name"]
                continue
            if heading := _heading(line):
                block, section = -1 if block < number else block, ""
                waiting, left = heading, AFTER_A_HEADING
                continue
            head, sign, tail = line.partition(":")
            value = tail.strip(BESIDE_A_VALUE)
            if sign and len(head) <= LONGEST_LABEL and not OF_CODE.search(head):
                if not value:
                    waiting, left = head, 1
                    continue
                source = ENVIRONMENT_BLOCK if 0 <= block <= number else FORM_FIELD
                label = f"{section} {head}" if head.strip().casefold() == "version" else head
                if stated := list(self._stated(label, value, source, line)):
                    left = 0
                    yield from stated
                    continue
            if left:
                value = line.strip(BESIDE_A_VALUE)
                yield from self._stated(waiting, value, FORM_FIELD, f"{waiting}: {line}")
                left -= 1

    def _stated(self, label: str, value: str, source: str, evidence: str) -> Iterator[Stated]:
        folded = label.casefold()
        if not any(word in folded for word in self._label_words):
            return
        words = NO_WORD.sub(" ", folded).split()
        if len(words) > MOST_LABEL_WORDS:
            return
        folded = " ".join(words)
        for pattern, aspect, read in self._labels:
            if pattern.search(folded):
                for text in read(value.casefold()):
                    yield Stated(aspect, text, source, evidence[:EVIDENCE_LENGTH])
                return

    def _words(self, written: str) -> Iterator[Stated]:
        """Yield what the words of a text name."""
        text = written.casefold()
        if len(text) != len(written):  # evidence is cut from the same characters
            written = text

        def stated(aspect: str, value: str, match: re.Match[str]) -> Stated:
            return Stated(aspect, value, TEXT, _around(written, match))

        def each(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
            """Return the first match of each text that matches: others say the same again."""
            return iter({match[0]: match for match in pattern.finditer(text)}.values())

        def has_any(words: Iterable[str]) -> bool:
            return any(word in text for word in words)

        if has_any(values.NEGATED_SYSTEMS):
            text = values.NEGATED.sub(lambda match: " " * len(match[0]), text)
        for system, words, pattern in values.SYSTEMS_IN_TEXT:
            if has_any(words) and (match := pattern.search(text)):
                yield stated(OPERATING_SYSTEM, system, match)
        for aspect, pattern, words in (
            (PYTHON, values.PYTHON_IN_TEXT, ("python",)),
            (CUDA, values.CUDA_IN_TEXT, ("cuda",)),
            (FRAMEWORK, self._framework_in_text, self.names),
        ):
            if has_any(words) and (match := pattern.search(text)):
                yield stated(aspect, match[1], match)
        if has_any(DEVICE_WORDS):
            for match in each(values.ABOUT_A_DEVICE):
                yield stated(DEVICE, match[1] or match[2] or "gpu", match)
        if has_any(DATA_TYPE_WORDS):
            for match in each(values.DATA_TYPES):
                yield stated(DATA_TYPE, values.data_type(match), match)

    def _release(self, value: str) -> list[str]:
        """Return a release of the framework, or that it is none: built from the latest source."""
        if named := self._framework_in_text.search(value):
            return [named[1]]
        rest = values.PYTHON_IN_TEXT.sub("", values.OF_ANOTHER_PROGRAM.sub("", value))
        number, source = values.NUMBER.search(rest), values.UNRELEASED.search(rest)
        if source and not (number and number.start() < source.start()):
            return ["unreleased"]
        return [number[1]] if number else []


def environments_of_issues(issues: pl.DataFrame) -> pl.DataFrame:
    """Return what each issue states of the environment it is about.

    Parameters
    ----------
    issues : columns repository, number, title, body, month.

    Returns
    -------
    ``labels.environments``: a row for each value of an aspect that an issue states, in the order of
    number, aspect and value.
    """
    readers: dict[str, Reader] = {}
    rows = [
        (repository, number, *stated, month)
        for repository, number, title, body, month in issues.sort("number")
        .select("repository", "number", "title", "body", "month")
        .iter_rows()
        for stated in readers.setdefault(repository, Reader(repository)).read(title, body)
    ]
    return pl.DataFrame(rows, schema=schema_of("labels.environments"), orient="row")


def _heading(line: str) -> str | None:
    """Return the words of a line that is a heading: behind hashes, or bold as a whole."""
    if line.startswith("#"):
        words = line.lstrip("#")
        return words.strip(" *#:") if words.startswith(" ") else None
    if line.startswith("**") and line.rstrip(":").endswith("**"):
        return line.strip("*: ")
    return None


def _around(text: str, match: re.Match[str]) -> str:
    """Return the line that a match stands on, cut to some words around it."""
    begin = max(0, match.start() - EVIDENCE_LENGTH // 2)
    first = max(begin, text.rfind("\n", begin, match.start()) + 1)
    last = text.find("\n", match.end(), first + EVIDENCE_LENGTH)
    return text[first : first + EVIDENCE_LENGTH if last < 0 else last].strip()
