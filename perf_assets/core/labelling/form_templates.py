"""Issue templates as forms: their name, the prefix of titles, and their fields.

A YAML issue form is read from its source, which follows its rendering in ``raw.issue_templates``.
The fields of a Markdown template are its headings and its lines in bold, as in GitHub's own
templates. Long texts, deeply nested YAML and YAML with anchors are not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import yaml

from perf_assets.core.markdown import closes_fence, opened_fence, without_comments

LONGEST_TEMPLATE = 200_000
"""Characters of a template, and of the source of a form, that are read."""

DEEPEST_YAML = 32
"""Levels of nesting that are read; the parser in C would exhaust its stack."""

SHORTEST_HEADING, LONGEST_HEADING = 3, 300
DEEPEST_HEADING, BOLD = 6, 7
"""Levels of the deepest heading in Markdown, and of a line in bold, which is below all of them."""

PERFORMANCE = (" performan", " perf ", " slow", " speed", " memory leak")
"""Beginnings of words in the name, path, title or labels of a form for performance."""

PERFORMANCE_FIELDS = (
    *PERFORMANCE,
    *(" memory usage", " memory use ", " memory consumption", " memory footprint"),
    *(" latency", " throughput"),
)
"""The same for the heading of a field; "memory" alone may be the memory of a device."""

BUGS = (" bug ", " bugs ")
"""Words of a form, or of a choice in it, that is for bugs and performance alike: it says nothing.
"""

NO_ANSWER = "_No response_"  # what GitHub writes under a heading that was left empty
EMPTY_BOX = ("- [ ]", "* [ ]", "+ [ ]")
NOTHING = ("", "no response", "none", "n/a", "na")
MARKS = " *_`.-"  # around one of these words

# All values stay texts: numbers and dates of a form are not needed and may be invalid.
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class Heading(NamedTuple):
    """A heading: the number of its line, the key by which headings are equal, level and words."""

    line: int
    key: str
    level: int
    label: str


@dataclass(frozen=True)
class Field:
    """A field of a form: its heading, and the lines below it in an untouched form.

    performance_choices : the lines by which a list of choices states performance.
    """

    label: str
    defaults: frozenset[str]
    performance_choices: frozenset[str] = frozenset()

    def has_answer(self, lines: Iterable[str]) -> bool:
        """Return whether a line was written by the reporter and says something.

        Lines without a letter or digit, boxes that are not ticked, and words such as ``None`` say
        nothing. A ticked box is an answer.
        """
        return any(map(self._is_answer, set(lines)))  # logs repeat their lines

    def is_about_performance(self, lines: Iterable[str]) -> bool:
        """Return whether the heading of a filled field, or a choice in it, is about performance."""
        if says_any(self.label, PERFORMANCE_FIELDS):
            return True
        chosen = {choice for line in lines for choice in _normal_line(line).split(", ")}
        return not self.performance_choices.isdisjoint(chosen)

    def _is_answer(self, line: str) -> bool:
        text = _normal_line(line)
        if text in self.defaults or text.startswith(EMPTY_BOX) or opened_fence(text):
            return False
        head, colon, tail = text.partition(":")
        if colon and f"{head}:" in self.defaults:
            text = tail
        return text.strip(MARKS) not in NOTHING and any(map(str.isalnum, text))


@dataclass(frozen=True)
class Form:
    """A version of a template: its name, and its fields by the keys of their headings.

    title : the prefix of titles that the form proposes; empty if it proposes none.
    lines : all lines of a Markdown template, HTML comments included; empty for a YAML form.
    """

    path: str
    sha: str
    name: str
    title: str
    fields: Mapping[str, Field]
    is_performance: bool
    lines: frozenset[str]

    @property
    def identity(self) -> tuple[str, frozenset[str]]:
        """Return name and headings: a form keeps them when its file is renamed."""
        return self.name.casefold(), frozenset(self.fields)

    def begins(self, title: str) -> bool:
        """Return whether ``title`` begins as the form proposes."""
        prefix = self.title.strip().casefold()
        return bool(prefix) and title.strip().casefold().startswith(prefix)


def read_form(path: str, sha: str, body: str) -> Form | None:
    """Return the form of a row of raw.issue_templates; None if it has no fields or is not read."""
    is_yaml = PurePosixPath(path).suffix.lower() in (".yml", ".yaml")
    text = _source(body) if is_yaml else body.replace("\r\n", "\n")
    if len(text) > LONGEST_TEMPLATE:
        return None
    if is_yaml:
        about = _read_yaml(text)
        fields, lines = dict(_fields_of_form(about.get("body"))), frozenset[str]()
    else:
        front_matter, text = _split_front_matter(text)
        about = _read_yaml(front_matter)
        fields, lines = _fields_of_markdown(without_comments(text)), normal_lines(text)
    if not fields:
        return None
    name, title = (_text(about.get(key)) for key in ("name", "title"))
    said = (name, path, title, _text(about.get("labels")))
    return Form(
        path=path,
        sha=sha,
        name=name.strip() or PurePosixPath(path).stem,
        title=title,
        fields=fields,
        is_performance=any(says_any(text, PERFORMANCE) for text in said)
        and not says_any(name, BUGS),
        lines=lines,
    )


def says_any(text: str, phrases: Iterable[str]) -> bool:
    """Return whether one of ``phrases`` is in the words of ``text``.

    Examples
    --------
    >>> says_any("Type:Performance", PERFORMANCE), says_any("Perfect", PERFORMANCE)
    (True, False)
    """
    letters = (sign if sign.isalnum() else " " for sign in text.casefold())
    words = f" {' '.join(''.join(letters).split())} "
    return any(phrase in words for phrase in phrases)


def headings(lines: Iterable[str], known: Iterable[str] | None = None) -> Iterator[Heading]:
    """Yield the headings of a Markdown text, or those of them whose key is ``known``.

    Fenced code has no headings, with one exception: a known heading of the third level between
    empty lines. GitHub writes the headings of a form so; the reporter left the code open.
    """
    lines = lines if isinstance(lines, list) else list(lines)
    fence = ""
    for number, line in enumerate(lines):
        text = line.lstrip(" \t>")
        if len(text) < SHORTEST_HEADING or text[0] not in "#*`~":
            continue
        if text[0] in "`~":
            if not fence:
                fence = opened_fence(line)
            elif closes_fence(line, fence):
                fence = ""
        else:
            if fence and (known is None or not _is_alone(lines, number)):
                continue
            heading = _heading(line, number)
            if heading and (known is None or heading.key in known):
                fence = ""
                yield heading


def _is_alone(lines: list[str], number: int) -> bool:
    around = [*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2]]
    return lines[number].startswith("### ") and not any(map(str.strip, around))


def _heading(line: str, number: int = 0) -> Heading | None:
    text = line.lstrip(" ")
    if len(line) > LONGEST_HEADING or len(line) - len(text) > 3:  # farther in, it is code
        return None
    text = text.rstrip()
    if text.startswith("#"):
        label = text.lstrip("#")
        level = len(text) - len(label)
        if level > DEEPEST_HEADING or not label.startswith((" ", "\t", "\xa0")):
            return None
        closed = label.rstrip("#")
        label = closed if closed.endswith((" ", "\t")) else label
    else:
        level, bold = BOLD, text.rstrip(": ")
        label = bold[2:-2]
        if not (bold.startswith("**") and bold.endswith("**")) or "**" in label:
            return None
    label = label.strip(" \t\xa0*:")
    # The variation selector decides how an emoji is drawn, and editors drop it.
    key = " ".join(label.replace("\ufe0f", "").casefold().split())
    return Heading(number, key, level, label) if key else None


def _source(body: str) -> str:
    """Return the YAML source of a form, which begins behind the last empty field rendered."""
    _, _, source = f"\n{body}".rpartition(f"\n{NO_ANSWER}\n")
    return source.removeprefix("\n")


def _read_yaml(text: str) -> dict[str, Any]:
    """Return the mapping that a text is; empty if it is another value, or refused."""
    depth = 0
    try:
        for event in yaml.parse(text, _Loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST_YAML or getattr(event, "anchor", None) is not None:
                return {}
        read = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _fields_of_form(elements: object) -> Iterator[tuple[str, Field]]:
    for element in _entries(elements):
        attributes = element.get("attributes")
        # GitHub shows the text of a Markdown element beside the form and writes it into no report.
        if element.get("type") == "markdown" or not isinstance(attributes, dict):
            continue
        heading = _heading(f"### {_text(attributes.get('label')).strip()}")
        if heading is not None:
            texts = (_text(attributes.get(name)) for name in ("value", "placeholder"))
            lines = [line for text in texts for line in without_comments(text).split("\n")]
            defaults = _defaults([*lines, _default(attributes)])
            yield heading.key, Field(heading.label, defaults, _performance_choices(attributes))


def _default(attributes: dict[str, Any]) -> str:
    """Return the preselected option of a list; empty if there is none."""
    options, index = attributes.get("options"), _text(attributes.get("default"))
    if not isinstance(options, list) or not (index.isdecimal() and len(index) < 4):
        return ""
    return _text(options[int(index)]) if int(index) < len(options) else ""


def _performance_choices(attributes: dict[str, Any]) -> frozenset[str]:
    """Return the options of a list that name performance and not bugs."""
    options = attributes.get("options")
    texts = map(_text, options if isinstance(options, list) else [])
    return frozenset(
        _normal_line(text)
        for text in texts
        if says_any(text, PERFORMANCE_FIELDS) and not says_any(text, BUGS)
    )


def _fields_of_markdown(text: str) -> dict[str, Field]:
    lines = text.split("\n")
    defaults = _defaults(lines)
    return {found.key: Field(found.label, defaults) for found in headings(lines)}


def _defaults(lines: Iterable[str]) -> frozenset[str]:
    """Return the lines as they are compared, and the parts of lines up to a colon."""
    texts = {_normal_line(line) for line in lines}
    return frozenset(texts | {f"{text.partition(':')[0]}:" for text in texts if ":" in text})


def normal_lines(text: str) -> frozenset[str]:
    """Return the lines of ``text`` as they are compared: without case and surplus spaces."""
    return frozenset(map(_normal_line, text.split("\n"))) - {""}


def _normal_line(line: str) -> str:
    return " ".join(line.split()).casefold()


def _split_front_matter(text: str) -> tuple[str, str]:
    if not text.startswith("---"):
        return "", text
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    return "", text


def _entries(value: object) -> Iterator[dict[str, Any]]:
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, dict):
            yield entry


def _text(value: object) -> str:
    """Return a text, or the texts of a list; empty for other values."""
    if isinstance(value, list):
        return ", ".join(text for text in value if isinstance(text, str))
    return value if isinstance(value, str) else ""
