"""Posts of forums: their HTML separated into prose and code."""

import re
from html.parser import HTMLParser

BLOCKS = {
    *("p", "div", "li", "ul", "ol", "blockquote", "table", "tr", "td", "th", "hr", "br"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "dl", "dt", "dd", "pre"),
}
SPACE = re.compile(r"[ \t\f\v\xa0]+")
COMMENT_END = re.compile(r"--\s*+>")
RAW = re.compile("<(?:script|style)", re.IGNORECASE)
SECTION = "<!["
UNCLOSED = "\ufdd0"  # no character of a text: it stands for a "<" that opens nothing
LINES = re.compile(r"(?<! ) *+\n\s*+")


class _Reader(HTMLParser):
    """Collects the text outside of blocks of code, and these."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.code: list[list[str]] = []
        self._depth = 0  # of <pre>

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "pre":
            self._depth += 1
            if self._depth == 1:
                self.code.append([])
        if tag in BLOCKS:
            self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self._depth:
            self._depth -= 1
        if tag in BLOCKS:
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        (self.code[-1] if self._depth else self.text).append(data)


def text_and_code(html: str) -> tuple[str, str | None]:
    """Return what a post says, and its blocks of code.

    Blocks of code are what stands in ``<pre>``; code within a sentence (``<code>`` alone) is a word
    of it and stays. Entities become what they stand for, white space a blank, a block a line.

    Returns
    -------
    The text, and the blocks of code with an empty line between two; ``None`` where there is none.

    Examples
    --------
    >>> text_and_code("<p>Why is <code>fit</code> slow?</p><pre><code>a &lt; b\\n</code></pre>")
    ('Why is fit slow?', 'a < b')
    """
    html = _without_unclosed(html.replace("\r\n", "\n").replace("\r", "\n"))
    try:
        reader = _read(html)
    except AssertionError:  # as the parser has it of a section "<![" that it does not know
        reader = _read(html.replace(SECTION, UNCLOSED + SECTION[1:]))
    text = LINES.sub("\n", SPACE.sub(" ", _joined(reader.text))).strip()
    blocks = [block for parts in reader.code if (block := _joined(parts).strip("\n"))]
    return text, "\n\n".join(blocks) or None


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def _without_unclosed(html: str) -> str:
    """``html`` with :data:`UNCLOSED` in place of each ``<`` of a comment or tag that has no end.

    The parser takes them for text as well, but looks for the end of each of them several times,
    which takes quadratic time. Within a script, which no forum lets through, it is a character.
    """
    if RAW.search(html) is not None:
        return html
    last_end = max((found.start() for found in COMMENT_END.finditer(html)), default=-1)
    parts: list[str] = []
    done = 0
    begin = max(last_end - len("<!-"), 0)
    while (start := html.find("<!--", begin)) >= 0 and (end := html.find(">", start) + 1):
        parts += [html[done:start], html[start:end].replace("<", UNCLOSED)]
        done = begin = end
    last = html.rfind(">") + 1
    return "".join([*parts, html[done:last], html[last:].replace("<", UNCLOSED)])


def _joined(parts: list[str]) -> str:
    return "".join(parts).replace(UNCLOSED, "<")
