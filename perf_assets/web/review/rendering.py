"""What strangers wrote as harmless HTML: Markdown as GitHub shows it, diffs, marked words."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape, unescape

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from perf_assets.base.sanitize import without_controls

TAGS = frozenset(
    (
        *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "kbd"),
        *("ul", "ol", "li", "strong", "em", "b", "i", "s", "del", "ins", "sub", "sup", "a", "div"),
        *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "span", "samp", "dl"),
        *("dt", "dd", "tt", "q", "var"),
    )
)
IMAGE = re.compile(r"<img\b[^>]*+(?:>|(?P<open>\Z))", re.IGNORECASE)
SOURCE = re.compile(r"\b(?:src)\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
LONGEST = 200_000
"""Characters of a text that are shown as Markdown; the rest is left to GitHub's own page."""

LONGEST_DIFF = 60_000


def markdown(text: str | None, keywords: Sequence[str] = ()) -> Markup:
    """Markdown as HTML, with ``keywords`` marked.

    What could run, load or leave the page is taken out by a sanitizer; images become links.
    """
    if not text:
        return Markup("<p class='quiet'>No text.</p>")
    rest = "" if len(text) <= LONGEST else f"\n\n… {len(text) - LONGEST:,} characters more"
    made = _renderer().render(without_controls(text[:LONGEST]) + rest)
    return Markup(_marked(_harmless(IMAGE.sub(_image_link, made)), keywords))


def html(text: str | None) -> Markup:
    """HTML of a forum, cleaned in the same way."""
    return Markup(_harmless(IMAGE.sub(_image_link, without_controls((text or "")[:LONGEST]))))


def marked_text(text: str, keywords: Sequence[str]) -> Markup:
    """Plain text with keywords marked."""
    return Markup(_marked(escape(without_controls(text)), keywords))


def diff(text: str) -> Markup:
    """Return a unified diff, its lines told apart by what they do."""
    shown = without_controls(text[:LONGEST_DIFF])
    lines = []
    for line in shown.split("\n"):
        kind = {"+": "added", "-": "removed", "@": "place"}.get(line[:1], "same")
        kind = "same" if line.startswith(("+++", "---")) else kind
        lines.append(f'<span class="{kind}">{escape(line)}</span>')
    if len(text) > LONGEST_DIFF:
        lines.append(f"… {len(text) - LONGEST_DIFF:,} characters more")
    return Markup("\n".join(lines))


@cache
def _renderer() -> MarkdownIt:
    # As on GitHub, a line of the text is a line of the page.
    renderer = MarkdownIt("commonmark", {"html": True, "breaks": True})
    return renderer.enable(["table", "strikethrough"])


def _harmless(made: str) -> str:
    return nh3.clean(
        made,
        tags=set(TAGS),
        attributes={"a": {"href", "title"}, "code": set(), "td": {"align"}, "th": {"align"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


def _image_link(found: re.Match[str]) -> str:
    if found["open"] is not None:  # to the end, so that nothing is searched again
        return found[0]
    source = SOURCE.search(found[0])
    if source is None:
        return ""
    return f'<a href="{escape(unescape(source[1]))}">[image]</a>'


def _marked(made: str, keywords: Sequence[str]) -> str:
    """HTML whose texts, and not its tags, have keywords marked."""
    if not keywords:
        return made
    words = "|".join(re.escape(escape(word)) for word in sorted(keywords, key=len, reverse=True))
    # Tags and character references are passed over, so that no keyword is found within them.
    pattern = re.compile(rf"({words})|<[^>]*+(?:>|\Z)|&#?\w+;", re.IGNORECASE)
    return pattern.sub(lambda found: f"<mark>{found[1]}</mark>" if found[1] else found[0], made)
