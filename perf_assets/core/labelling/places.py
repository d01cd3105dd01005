"""Where a word stands in a report: prefix of the title, title, first paragraph, text, log.

All in lower case and of bounded length, so that a report of a megabyte costs no more than a long
one.
"""

import re
from typing import NamedTuple

LONGEST_READ = 20_000
"""Characters of a body that are read: what follows is a log."""

LONGEST_PARAGRAPH = 600
FEWEST_WORDS = 4
"""Of a paragraph that says something; text without spaces counts by its letters."""

_TAG = (
    r"\[[^\[\]]{1,40}\]"
    r"|(?:perf|performance|bug|bug report|feature|usage|question|issue)(?= ?[:：])"
)
_TAGS = re.compile(rf"(?:(?:{_TAG}) ?[:：]? ?)+")
_ABOUT_PERFORMANCE = re.compile(r"\bperf(?:ormance)?\b")

_HIDDEN = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)
_DETAILS = re.compile(r"</?(?:details|summary|b|br|p|div|img)\b[^>\n]{0,200}>", re.IGNORECASE)
_LOG_LINE = re.compile(
    r"\s*(?:[\[(]?\d{4}[-/]\d\d|\[?\d\d:\d\d:\d\d|(?:info|warn(?:ing)?|error|debug|fatal|critical)\b"
    r"|[iwef]\d{4} |\([\w-]+ pid=|\[rank|traceback |file \"|at [\w.$]+\(|#\d+ |>>> |\$ "
    r"|[\w.]*(?:error|exception): |terminate called|collecting environment)",
    re.IGNORECASE,
)
_ENDS_PARAGRAPH = re.compile(r"\s*(?:#|\||- \[|---|\Z)")
_NEGATED = re.compile(
    r"\b(?:no|not|without|isn'?t|aren'?t|wasn'?t|never) (?:any |a |an |the |more |longer )?"
    r"(?:memory |performance |significant |noticeable )?"
    r"(?:slow\w*|leak\w*|hang\w*|stuck|freez\w+|latency|overhead|dead ?lock\w*|oom\w*"
    r"|(?:performance )?(?:degradation|regression|drop|loss|issue|problem)s?)\b"
)


class Places(NamedTuple):
    """The places of a report.

    has_prefix : whether the title begins with a tag about performance, as ``[Performance]:``.
    title : the title without such tags.
    first_paragraph : the first text of the body that says something.
    text : the body without code, comments and lines of logs.
    log : code and lines of logs.
    """

    has_prefix: bool
    title: str
    first_paragraph: str
    text: str
    log: str


def places_of(title: str | None, body: str | None) -> Places:
    """Return the places of a report; a missing title or body is an empty one."""
    title = " ".join((title or "").casefold().split())
    tags = _TAGS.match(title)
    prefix = tags[0] if tags else ""
    body = (body or "")[:LONGEST_READ].replace("\r\n", "\n").replace("\r", "\n").casefold()
    seen = _DETAILS.sub(" ", _HIDDEN.sub("\n\n", body))
    logged = [found[0] for found in _HIDDEN.finditer(body) if not found[0].startswith("<!--")]
    kept: list[str] = []
    for line in seen.split("\n"):
        is_log = _LOG_LINE.match(line) is not None
        (logged if is_log else kept).append(line)
        if is_log:
            kept.append("")
    return Places(
        _ABOUT_PERFORMANCE.search(prefix) is not None,
        _affirmed(title[len(prefix) :]),
        _affirmed(_first_paragraph(kept)),
        _affirmed("\n".join(kept)),
        "\n".join(logged),
    )


def _affirmed(text: str) -> str:
    """Return the text without what it denies, such as "no memory leak"."""
    return _NEGATED.sub(" ", text)


def _first_paragraph(lines: list[str]) -> str:
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if _ENDS_PARAGRAPH.match(line):
            text = " ".join(paragraph)
            if _says_something(text):
                return text[:LONGEST_PARAGRAPH]
            paragraph = []
        else:
            paragraph.append(" ".join(line.split()))
    return ""


def _says_something(text: str) -> bool:
    return len(text.split()) >= FEWEST_WORDS or (len(text) >= FEWEST_WORDS and not text.isascii())
