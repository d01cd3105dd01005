"""Reading a dump: one pass over each of its files, which takes out what the study is about."""

import hashlib
import html
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.forums import Forum
from perf_assets.sources.stackexchange import dump_posts
from perf_assets.sources.stackexchange.dump_files import POSTS, DumpFile, find_dump
from perf_assets.sources.stackexchange.dump_posts import ANSWER, QUESTION, Record, number_of
from perf_assets.sources.stackexchange.dump_rows import (
    SHOWN,
    Piece,
    Rows,
    attributes,
    is_utf_8,
    mended,
    value_of,
)
from perf_assets.sources.stackexchange.extract import COUNTS, Extract

log = logging.getLogger(__name__)

VERSION = 2  # of what is taken out of a dump; another one reads it again
ENDS = 1 << 16  # bytes at each end of a file that tell it from another
AT_ONCE = 32 << 20  # bytes read between two writes
FEW, FEW_ROWS = 0.01, 3  # of rows, more of which are not in UTF-8 where the file is not
MANY_SPOILT = 10_000  # rows; where they are the most of what was read, too, no more is read
ROWS_TO_JUDGE = 20_000  # before the end of a file
# A year of ours and a month; of another date it is not known whether it is before the study.
BEGINS_AS_DATE = re.compile(r"(?:19[7-9]|2\d\d)\d-(?:0[1-9]|1[0-2])")
BLOCK = 16  # bits of a number for its position within a block

Reader = Callable[[dict[str, str]], Record | None]


class Numbers:
    """A set of numbers of posts, a bit each: tens of millions fit into some megabytes."""

    def __init__(self) -> None:
        """Start without rows."""
        self._blocks: dict[int, bytearray] = {}

    def add(self, number: int) -> None:
        """Put ``number`` in."""
        block = self._blocks.setdefault(number >> BLOCK, bytearray(1 << (BLOCK - 3)))
        block[(number & 0xFFFF) >> 3] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        """Return whether ``number`` is in it."""
        block = self._blocks.get(number >> BLOCK)
        return block is not None and bool(block[(number & 0xFFFF) >> 3] & 1 << (number & 7))


def read_dump(forum: Forum, extract: Extract) -> None:
    """Add the content of the dump of ``forum`` to ``extract``; nothing is read twice.

    Raises
    ------
    PerfAssetsError
        The dump is missing, is not a dump, has another encoding, or cannot be read. Rows that
        were extracted before are kept until another dump replaces them.
    """
    assert forum.dump is not None
    files = find_dump(forum.dump)
    for file in files:
        state = extract.state(file.name)
        if state is not None and state["fingerprint"] != fingerprint_of(file, forum):
            extract.clear()
            break
    reading: _Reading | None = None
    for file in files:
        state = extract.state(file.name)
        if state is not None and state["is_done"]:
            continue
        reading = reading or _Reading(forum, extract)
        try:
            reading.read(file)
        except _EncodingError:
            extract.clear()
            raise


def fingerprint_of(file: DumpFile, forum: Forum) -> str:
    """Return a fingerprint of a file and of its selection: its size, ends and the tag sets."""
    digest = hashlib.sha256(repr((VERSION, file.name, file.member, forum.start)).encode())
    digest.update(repr([(tag_set.label, tag_set.tags) for tag_set in forum.tag_sets]).encode())
    try:
        size = file.path.stat().st_size
        with file.path.open("rb") as content:
            digest.update(content.read(ENDS))
            content.seek(max(0, size - ENDS))
            digest.update(content.read(ENDS))
    except OSError as error:
        raise PerfAssetsError(
            f"{file.path}: the dump cannot be read: {error.strerror}; name another"
        ) from None
    return f"{size}-{digest.hexdigest()[:16]}"


class _Reading:
    """The state of reading one dump."""

    def __init__(self, forum: Forum, extract: Extract) -> None:
        self.forum = forum
        self.extract = extract
        self.questions, self.answers = self._taken("question"), self._taken("answer")
        self.records: dict[str, list[Record]] = defaultdict(list)  # since the last write
        self.counts: Counter[str] = Counter()  # likewise
        self.rows = self.spoilt = 0

    def _taken(self, post: str) -> Numbers:
        """Return the numbers of the questions, or answers, that are in the extract."""
        numbers = Numbers()
        for (number,) in self.extract.frame(f"SELECT {post}_id FROM {post}s").iter_rows():
            numbers.add(number)
        return numbers

    def read(self, file: DumpFile) -> None:
        """Read ``file`` from where it was left to its end."""
        state = self.extract.state(file.name) or {
            "file": file.name,
            "fingerprint": fingerprint_of(file, self.forum),
            "next_byte": 0,
            "is_read": False,
            "is_done": False,
            "newest_id": 0,
            "is_unsorted": False,
            "is_second": False,
            **dict.fromkeys(COUNTS, 0),
        }
        if not state["is_read"]:
            self._pass(file, state)
        if file.name == POSTS:
            if state["is_unsorted"] and not state["is_second"]:
                # An answer came before its question, among higher numbers, and was not kept.
                log.info("%s is not in the order of its numbers: it is read again", file.title)
                state.update(is_second=True, next_byte=0, is_read=False)
                self._pass(file, state)
            self.extract.drop_strangers({**state, "is_done": True})
            self.answers = self._taken("answer")
        else:
            self.extract.add({}, {**state, "is_done": True})

    def _pass(self, file: DumpFile, state: dict[str, Any]) -> None:
        """Read it once, from the byte where the ``state`` is; which is kept up to date."""
        rows = Rows(file.title, file.name.lower(), state["next_byte"])
        written = rows.offset
        judged = _Encoding(file)
        with phase(f"reading {file.title}", file.size, "bytes") as progress:
            progress(rows.offset)
            for chunk in file.chunks(rows.offset):
                self._take(file, state, judged.passed(list(rows.feed(chunk))))
                progress(rows.offset)
                if rows.offset - written >= AT_ONCE:
                    written = rows.offset
                    self._write(state, written)
            self._take(file, state, list(rows.end()))
            judged.decide()
            state["is_read"] = True
            self._write(state, rows.offset)

    def _write(self, state: dict[str, Any], offset: int) -> None:
        for name in COUNTS:
            state[name] += self.counts[name]
        state["next_byte"] = offset
        self.extract.add(self.records, state)
        self.records.clear()
        self.counts.clear()

    def _take(self, file: DumpFile, state: dict[str, Any], pieces: list[Piece]) -> None:
        take = self._post if file.name == POSTS else self._beside
        for piece in pieces:
            self.rows += 1
            try:
                if piece.spoilt is not None:
                    raise ValueError(piece.spoilt)
                take(file, state, piece.text)
            except ValueError as error:
                if state["is_second"]:
                    continue
                self.counts["rejected"] += 1
                self.spoilt += 1
                if self.spoilt >= MANY_SPOILT and self.spoilt > self.rows / 2:
                    raise PerfAssetsError(
                        f"{file.title}: {self.spoilt:,} of {self.rows:,} rows cannot be read, the "
                        f"last at byte {piece.offset} ({error}): not a dump, or damaged; fetch it "
                        "again"
                    ) from None
                self.records["rejects"].append(_reject(file, piece, str(error)))

    def _post(self, _: DumpFile, state: dict[str, Any], text: bytes) -> None:
        kind = _read(text, b' PostTypeId="', "PostTypeId")
        if kind not in (QUESTION, ANSWER):
            self._count(state, "other_posts")
            return
        number = number_of(_read(text, b' Id="', "Id"), "Id")
        if kind == QUESTION and not state["is_second"]:
            self._question(state, number, text)
        elif kind == ANSWER:
            self._answer(state, number, text)
        state["newest_id"] = max(state["newest_id"], number)

    def _question(self, state: dict[str, Any], number: int, text: bytes) -> None:
        tags = dump_posts.tags_of(html.unescape(_value(text, b' Tags="', "Tags")).lower())
        created = _value(text, b' CreationDate="', "CreationDate")
        is_before = BEGINS_AS_DATE.match(created) and created[:7] < self.forum.start
        if not self.forum.sets_of(set(tags)) or is_before:
            self.counts["other_questions"] += 1
            return
        if number in self.questions:
            raise ValueError(f"a question {number} was there before")
        self.records["questions"].append(dump_posts.question(self._attributes(text)))
        self.counts["questions"] += 1
        self.questions.add(number)
        state["is_unsorted"] |= number < state["newest_id"]

    def _answer(self, state: dict[str, Any], number: int, text: bytes) -> None:
        parent = number_of(_read(text, b' ParentId="', "ParentId"), "ParentId")
        # Its question may still come: answers move to questions of higher numbers.
        if parent not in self.questions and (parent <= state["newest_id"] or state["is_second"]):
            self._count(state, "other_answers")
            return
        if number in self.answers:
            if state["is_second"]:
                return
            raise ValueError(f"an answer {number} was there before")
        self.records["answers"].append(dump_posts.answer(self._attributes(text)))
        self.counts["answers"] += 1
        if state["is_second"]:
            self.counts["other_answers"] -= 1
        self.answers.add(number)

    def _beside(self, file: DumpFile, _: dict[str, Any], text: bytes) -> None:
        """Read a row of a file that says more of posts; most are of other posts."""
        post = number_of(_read(text, b' PostId="', "PostId"), "PostId")
        is_comment = file.name == "Comments"
        if post not in self.questions and not (is_comment and post in self.answers):
            return
        table, read = BESIDE[file.name]
        record = read(self._attributes(text))
        if record is not None:
            self.records[table].append(record)

    def _attributes(self, text: bytes) -> dict[str, str]:
        """Return the attributes of a row that is kept, of which some characters may have to go."""
        self.counts["replaced_characters"] += mended(text)[1]
        return attributes(text)

    def _count(self, state: dict[str, Any], name: str) -> None:
        if not state["is_second"]:
            self.counts[name] += 1


BESIDE: dict[str, tuple[str, Reader]] = {
    "PostLinks": ("duplicates", dump_posts.duplicate),
    "PostHistory": ("closings", dump_posts.closing),
    "Comments": ("comments", dump_posts.comment),
}


class _EncodingError(PerfAssetsError):
    """A file is in another encoding than a dump."""


class _Encoding:
    """Decides whether a file is in UTF-8: a damaged row may be in nothing, but few are damaged."""

    def __init__(self, file: DumpFile) -> None:
        self.file = file
        self.rows = self.off = 0

    def passed(self, pieces: list[Piece]) -> list[Piece]:
        """Return the ``pieces``, of which those that are not in UTF-8 are spoilt."""
        self.rows += len(pieces)
        before = self.off
        for index, piece in enumerate(pieces):
            if not is_utf_8(piece.text):
                self.off += 1
                pieces[index] = piece._replace(spoilt="it is not in UTF-8")
        if self.off > before and self.rows >= ROWS_TO_JUDGE:
            self.decide()
        return pieces

    def decide(self) -> None:
        """Raise where more than a few rows are in another encoding."""
        if self.off > max(FEW_ROWS, self.rows * FEW) or self.off * 2 > self.rows:
            raise _EncodingError(
                f"{self.file.title}: the file is not in UTF-8, as a dump is: {self.off:,} of "
                f"{self.rows:,} rows are in another encoding; fetch it again, or convert it"
            )


def _value(text: bytes, mark: bytes, name: str) -> str:
    """Return the attribute ``name`` of a row, quickly where ``mark`` begins it; "" if missing."""
    found = value_of(text, mark)
    return attributes(text).get(name, "") if found is None else found.decode()


def _read(text: bytes, mark: bytes, name: str) -> str:
    value = _value(text, mark, name)
    if not value:
        raise ValueError(f"it has no {name}")
    return value


def _reject(file: DumpFile, piece: Piece, reason: str) -> Record:
    return {
        "file": Path(file.member or file.path.name).name,
        "byte_offset": piece.offset,
        "reason": reason,
        "text": ("<" * bool(piece.text) + piece.text[:SHOWN].decode(errors="replace")).strip(),
    }
