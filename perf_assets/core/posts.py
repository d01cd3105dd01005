"""Posts of forums: their HTML separated into prose and code."""

import re
from html.parser import HTMLParser

BLOCKS = {
    *("p", "div", "li", "ul", "ol", "blockquote", "table", "tr", "td", "th", "hr", "br"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "dl", "dt", "dd", "pre"),
}
SPACE = re.compile(r"[ \t\f\v\xa0]+")
LINES = re.compile(r" *\n\s*")


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
    """What a post says, and its blocks of code.

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
    reader = _Reader()
    reader.feed(html.replace("\r\n", "\n").replace("\r", "\n"))
    reader.close()
    text = LINES.sub("\n", SPACE.sub(" ", "".join(reader.text))).strip()
    blocks = [block for parts in reader.code if (block := "".join(parts).strip("\n"))]
    return text, "\n\n".join(blocks) or None
