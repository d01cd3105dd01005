"""The rows of a file of a dump, cut from its bytes: where each begins, and which are spoilt.

Such a file is one element with hundreds of millions of rows, each an empty element of attributes. A
parser of XML stops at the first mistake; here a row that is spoilt is reported, and the next one
read. No value of an attribute can hold ``<``, so that each of them begins an element.
"""

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened

LONGEST_ROW = 64 << 20  # bytes; a post has some thousands
SHOWN = 200  # bytes of a spoilt row
ROW = tuple(b"row" + end for end in (b" ", b"\n", b"\t", b"\r", b"/"))
ELEMENT = re.compile(rb"[A-Za-z][\w.-]*")
# What a row must look like to be one, without looking at the references in its values.
WHOLE = re.compile(rb"row(?:\s++[A-Za-z_][\w.-]*+\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*+\s*+/>\s*+")
LATIN = ("utf-8", "us-ascii", "ascii")
UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"\x00<", b"<\x00")
MARK = b"\xef\xbb\xbf"
REFERENCE = re.compile(rb"&#([xX][0-9A-Fa-f]+|[0-9]+);")
# The halves of a surrogate pair by hexadecimal or decimal references, any reference, a control
# character.
HIGH, LOW = (
    rb"&#(?:[xX]0*[dD][89abAB][0-9A-Fa-f]{2}|0*5(?:5[3-9]|6[0-2])[0-9]{2});",
    rb"&#(?:[xX]0*[dD][c-fC-F][0-9A-Fa-f]{2}|0*5(?:6[3-9]|7[0-3])[0-9]{2});",
)
ODD = re.compile(rb"%b%b|&#(?:[xX][0-9A-Fa-f]+|[0-9]+);|[\x00-\x08\x0b\x0c\x0e-\x1f]" % (HIGH, LOW))
REPLACEMENT = "\ufffd".encode()
LONGEST_REFERENCE = 12  # digits
DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']+)[\"']")


class Piece(NamedTuple):
    """A piece of a file: a row as it stands, without ``<``; or, with a reason, a spoilt one."""

    offset: int
    text: bytes
    spoilt: str | None = None


class Rows:
    """Cuts the chunks of a file into its rows; ``offset`` is where the next one begins."""

    def __init__(self, title: str, root: str, offset: int = 0) -> None:
        """Prepare to read the file ``title`` with the element ``root`` from ``offset`` on."""
        self.title = title
        self.root = root.encode()
        self.offset = offset
        self._rest = b""
        self._is_open = offset > 0
        self._is_closed = False

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Yield the rows that end with ``chunk``, the next one of the file.

        Raises
        ------
        PerfAssetsError
            The file is not a dump, has another encoding, or declares entities.
        """
        if not self._is_open and not self._rest:
            self._check_head(chunk)
        data = self._rest + chunk
        *whole, self._rest = data.split(b"<")
        for index, text in enumerate(whole):
            begin = self.offset
            self.offset += len(text) + 1
            # Text before the first sign of the data belongs to no element.
            if index or begin:
                yield from self._element(begin - 1, text)
            elif text.strip(b" \t\r\n" + MARK):
                raise self._no_dump("it does not begin with <")
        if len(self._rest) > LONGEST_ROW:
            raise self._no_dump(f"at byte {self.offset} a row has more than {LONGEST_ROW:,} bytes")

    def end(self) -> Iterator[Piece]:
        """Yield the rest at the end of the file: its last element, or a row that is cut."""
        if not self._is_open:
            raise self._no_dump(f"it has no element <{self.root.decode()}>")
        begin, text, self._rest = self.offset - 1, self._rest, b""
        self.offset += len(text)
        if text:
            yield from self._element(begin, text)
        if not self._is_closed:
            yield Piece(self.offset, b"", f"the file ends before </{self.root.decode()}>")

    def _element(self, offset: int, text: bytes) -> Iterator[Piece]:
        if text[:4] in ROW and self._is_open and not self._is_closed:
            spoilt = None if WHOLE.fullmatch(text) else _fault(text)
            yield Piece(offset, text, spoilt)
        elif text.startswith(b"!") and not text.startswith(b"!--"):
            raise PerfAssetsError(
                f"{self.title}: byte {offset} has a <!{text[1:9].decode('latin-1').split()[0]}; "
                "a dump may not declare types or entities: fetch it again"
            )
        elif text.startswith((b"?", b"!--")):
            return
        elif text.startswith(b"/" + self.root):
            self._is_closed = True
        elif not self._is_open:
            found = ELEMENT.match(text)
            name = found.group() if found else b""
            if name != self.root:
                element = f"<{name.decode()}>" if name else "something"
                raise self._no_dump(f"it begins with {element} instead of <{self.root.decode()}>")
            self._is_open = True
            self._is_closed = text.rstrip().endswith(b"/>")
        elif not self._is_closed:
            yield Piece(offset, text, "not a row")

    def _check_head(self, chunk: bytes) -> None:
        declared = DECLARED.match(chunk.removeprefix(MARK))
        encoding = declared.group(1).decode("latin-1").lower() if declared else "utf-8"
        if chunk.startswith(UTF_16):
            encoding = "UTF-16"
        if encoding not in LATIN:
            encoding = shortened(encoding, 40)
            raise PerfAssetsError(
                f"{self.title}: the file is in {encoding} instead of UTF-8; convert it, as "
                f"iconv -f {encoding} -t UTF-8 does"
            )

    def _no_dump(self, reason: str) -> PerfAssetsError:
        return PerfAssetsError(f"{self.title}: not the {self.root.decode()} of a dump: {reason}")


def attributes(text: bytes) -> dict[str, str]:
    """Return the attributes of a row, as an XML parser reads them, but for what :func:`mended`
    replaces.

    Raises
    ------
    ValueError
        It is not well-formed; says how.
    """
    try:
        return _parsed(text)
    except ValueError:
        whole, replaced = mended(text)
        if not replaced:
            raise
        return _parsed(whole)


def mended(text: bytes) -> tuple[bytes, int]:
    """Replace the characters of a row that XML does not allow, as real dumps have them.

    Two references to the halves of a surrogate pair become the character that they stand for;
    control characters, and references to invalid characters, become U+FFFD.

    Returns
    -------
    The row, and how many characters were replaced.
    """
    replaced = 0

    def replacement(match: re.Match[bytes]) -> bytes:
        nonlocal replaced
        numbers = [_number(reference) for reference in REFERENCE.findall(match.group())]
        if len(numbers) == 1 and _is_allowed(numbers[0]):
            return match.group()
        replaced += 1
        if len(numbers) == 2:
            high, low = numbers
            return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00).encode()
        return REPLACEMENT

    return ODD.sub(replacement, text), replaced


def _number(reference: bytes) -> int:
    digits, base = (reference[1:], 16) if reference[:1] in b"xX" else (reference, 10)
    # Longer ones are beyond all characters, and slow to read.
    return int(digits, base) if len(digits) < LONGEST_REFERENCE else sys.maxunicode + 1


def _is_allowed(number: int) -> bool:
    """Return whether XML 1.0 has this character (its production 2)."""
    return (
        number in (0x9, 0xA, 0xD)
        or 0x20 <= number < 0xD800
        or 0xE000 <= number < 0xFFFE
        or 0x10000 <= number <= sys.maxunicode
    )


def _parsed(text: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    parser = expat.ParserCreate("UTF-8")
    parser.StartElementHandler = lambda _, values: found.update(values)
    try:
        parser.Parse(b"<" + text, True)
    except expat.ExpatError as error:
        raise ValueError(expat.ErrorString(error.code)) from None
    return found


def value_of(text: bytes, name: bytes) -> bytes | None:
    """Return the raw value of the attribute of a whole row that `` name="`` begins."""
    start = text.find(name)
    if start < 0:
        return None
    start += len(name)
    return text[start : text.find(b'"', start)]


def is_utf_8(text: bytes) -> bool:
    """Return whether ``text`` is in UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fault(text: bytes) -> str:
    if b"/>" not in text:
        return "the row is cut: it has no end"
    if not text.rstrip().endswith(b"/>"):
        return "there is text between this row and the next"
    try:
        attributes(text)
    except ValueError as error:
        return f"the XML is not well-formed: {error}"
    return "the XML is not well-formed"
