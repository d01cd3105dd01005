"""Full names inside texts, in whichever case, order, spelling of accents and markup they stand."""

import html
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping

import polars as pl

from perf_assets.core.people.escapes import decoded

LOOSE = 6
"""Letters of a name of several words that is recognised whatever its case and signs."""
JOINED = 7
"""Letters of one that is recognised without signs between its words, too."""
EXACT = 4
"""Letters of a name of several words that is recognised as it is written."""
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts that put no space between words."""

_IDEOGRAPHIC = re.compile(rf"[{IDEOGRAPHS}]{{2,}}")
_ACCENTED = (
    r"&(?:[A-Za-z](?:acute|grave|circ|tilde|uml|cedil|ring|slash|caron)|szlig|[A-Za-z]{2}lig);"
)
_NUMBERED = r"&#(?:19[2-9]|[2-9]\d\d|\d{4,5}|x(?:[cC-fF][\da-fA-F]|[1-9a-fA-F][\da-fA-F]{2,3}));"
_TOKEN = re.compile(
    rf"(?P<word>(?:[^\W_]|[\u0300-\u036f]|{_ACCENTED}|{_NUMBERED})+)|&(?:#x?)?\w{{1,8}};|%20"
)
_GAP = re.compile(
    r"(?:[\s.,_'\u2018\u2019\u02bc\u00b7-]|&#0?39;|&#x27;|&#8217;|&apos;|&[rl]squo;|&nbsp;|%20|\+){1,4}"
)
_MARKUP = r"&\w+;|&#|%(?:25)*[C-Fc-f][0-9A-Fa-f]%|\\u[0-9A-Fa-f]{4}"


class FullNames:
    """Names of several words, or of a script without spaces, and what stands for each."""

    def __init__(self, names: Mapping[str, str], phrases: Collection[str] = ()) -> None:
        """Take ``names`` as they are written; those that are ``phrases`` too in no other way."""
        self._exact: dict[str, str] = {}
        self._found: dict[str, tuple[str, str, bool]] = {}
        self._firsts: set[str] = set()
        self._longest = 0
        rare = set[str]()
        for name, replacement in sorted(names.items(), key=lambda pair: (-len(pair[0]), pair)):
            parts = [_folded(match[0]) for match in _TOKEN.finditer(name) if match["word"]]
            if is_ideographic(name) or len(parts) < 2:
                self._exact |= {name: replacement, re.sub(r"\s", "", name): replacement}
            if len(parts) < 2 or (len("".join(parts)) < EXACT and not is_ideographic(name)):
                continue
            self._longest = max(self._longest, len(parts))
            rare.add(max(parts, key=len))
            is_long = len("".join(parts)) >= LOOSE or is_ideographic(name)
            is_loose = is_long and name not in phrases
            for order in (parts, [parts[-1], *parts[:-1]]) if is_loose else (parts,):
                key = "".join(order)
                self._found.setdefault(key, (name, replacement, is_loose))
                self._firsts |= {"".join(order[: end + 1]) for end in range(len(order))}
        self._rare = sorted(rare)

    def replaced(self, texts: pl.Series) -> pl.Series:
        """``texts`` with what stands for the names, NULL staying NULL."""
        if self._exact:
            texts = texts.str.replace_many(
                list(self._exact), list(self._exact.values()), leftmost=True
            )
        if not self._rare:
            return texts
        new = [
            self._text(text) if has_any else text
            for text, has_any in zip(texts, self._may_name(texts), strict=True)
        ]
        return pl.Series(texts.name, new, dtype=pl.String)

    def phrases(self, texts: pl.Series) -> Iterator[str]:
        """Yield the name of each place where ``texts`` have one as words in small letters."""
        if not self._rare:
            return
        for text in texts.filter(self._may_name(texts)):
            for begin, end, name, _ in self._places(text):
                written = text[begin:end]  # in one word it is a login
                if " " in written and written.islower() and not name.islower():
                    yield name

    def _may_name(self, texts: pl.Series) -> pl.Series:
        folded = texts.str.normalize("NFKD").str.replace_all(r"\p{M}+", "").str.to_lowercase()
        has_any = folded.str.contains_any(self._rare)
        return (has_any | texts.str.contains(_MARKUP)).fill_null(value=False)

    def _text(self, text: str) -> str:
        text = _written(text, ((begin, end, new) for begin, end, _, new in self._places(text)))
        plain, spans = decoded(text)
        if plain == text:
            return text
        places = self._places(plain)
        return _written(
            text, ((spans[begin][0], spans[end - 1][1], new) for begin, end, _, new in places)
        )

    def _places(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        """Begin, end, name and what stands for it of each name in ``text``, the longest ones."""
        spans = [match.span() for match in _TOKEN.finditer(text) if match["word"]]
        tokens = [_folded(text[begin:end]) for begin, end in spans]
        first = 0
        while first < len(tokens):
            found = self._at(text, spans, tokens, first) if tokens[first] in self._firsts else None
            if found is None:
                first += 1
                continue
            last, name, replacement = found
            yield spans[first][0], spans[last][1], name, replacement
            first = last + 1

    def _at(
        self, text: str, spans: list[tuple[int, int]], tokens: list[str], first: int
    ) -> tuple[int, str, str] | None:
        """Return the last token of the longest name that begins at ``first``, and the name."""
        best, key = None, ""
        for last in range(first, min(first + self._longest, len(tokens))):
            if last > first and _GAP.fullmatch(text, spans[last - 1][1], spans[last][0]) is None:
                break
            key += tokens[last]
            if (found := self._found.get(key)) is None:
                continue
            name, replacement, is_loose = found
            written = text[spans[first][0] : spans[last][1]]
            is_plain = is_loose and (last > first or len(key) >= JOINED)
            if is_plain or unicodedata.normalize("NFC", written) == name:
                best = (last, name, replacement)
        return best


def _written(text: str, places: Iterable[tuple[int, int, str]]) -> str:
    """Return ``text`` with what stands for each part that begins and ends at one of ``places``."""
    written, last = [], 0
    for begin, end, replacement in places:
        written += [text[last:begin], replacement]
        last = end
    return "".join((*written, text[last:]))


def is_ideographic(name: str) -> bool:
    """Return whether a name is of a script that puts no space between words, and long enough."""
    return _IDEOGRAPHIC.fullmatch(re.sub(r"\s", "", name)) is not None


def _folded(token: str) -> str:
    """Return a word without case and accents."""
    if token.isascii() and "&" not in token:
        return token.lower()
    parts = unicodedata.normalize("NFKD", html.unescape(token))
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold()
