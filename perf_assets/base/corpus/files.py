"""A file of a corpus: its records, and those that cannot be used, counted by reason."""

import gzip
import json
import logging
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from perf_assets.base.config_files import reason as reason_of
from perf_assets.base.corpus.records import Comment, Event, Issue, PullRequest
from perf_assets.base.corpus.rest_shapes import Record
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, whole_characters

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=Issue | PullRequest | Comment | Event)

REQUIRED = ("issues", "comments")
MOST_REASONS = 100  # of a file; further ones are counted as one


@dataclass(frozen=True)
class SetAside:
    """Records of one kind (``issues``, ``comments``) that were left out for one reason.

    ``line`` is where the first of them is in its file.
    """

    kind: str
    reason: str
    line: int
    count: int = 1


class Usable(NamedTuple):
    """A usable record, where it is, and as it was read."""

    line: int
    record: Record
    read: Any


class CorpusFile:
    """A file of a corpus: ``issues``, ``comments``, ``events`` or ``pulls``."""

    def __init__(self, directory: Path, kind: str) -> None:
        """Find the file.

        Raises
        ------
        PerfAssetsError
            The corpus must have it and does not, or has it twice.
        """
        if not directory.is_dir():
            raise PerfAssetsError(f"{directory}: this corpus directory does not exist")
        plain, packed = directory / f"{kind}.jsonl", directory / f"{kind}.jsonl.gz"
        if plain.is_file() and packed.is_file():
            raise PerfAssetsError(f"{plain}: {packed.name} exists too; remove one of them")
        self.path = next((path for path in (plain, packed) if path.is_file()), None)
        if self.path is None and kind in REQUIRED:
            raise PerfAssetsError(
                f"{directory}: a corpus needs {plain.name} or {packed.name}; "
                "add it (an empty file means that there are none)"
            )
        self._kind = kind
        self._by_reason: dict[str, SetAside] = {}

    @property
    def set_aside(self) -> list[SetAside]:
        """The records that were left out, by reason, the most frequent first."""
        return sorted(self._by_reason.values(), key=lambda entry: -entry.count)

    def read(self, shape: type[Shape], normal: Callable[[Record], Record]) -> Iterator[Usable]:
        """Yield the records that have the ``shape`` once they are in their ``normal`` form."""
        for line, raw in _lines(self.path) if self.path else ():
            record = normal(raw)
            try:
                usable = Usable(line, record, shape.model_validate(record))
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                key = ".".join(part for part in first["loc"] if isinstance(part, str))
                fault = f"{key}: {reason_of(first)}" if key else reason_of(first)
                self.leave_out(line, escape_text(fault))
                continue
            yield usable

    def leave_out(self, line: int, reason: str) -> None:
        """Count the record in ``line`` as one that cannot be used."""
        if reason not in self._by_reason and len(self._by_reason) >= MOST_REASONS:
            reason = "another reason"
        known = self._by_reason.get(reason, SetAside(self._kind, reason, line, 0))
        self._by_reason[reason] = replace(known, count=known.count + 1)

    def report(self) -> None:
        """Log a sentence for each reason why records were left out."""
        for entry in self.set_aside:
            log.warning(
                "%s: set aside %s %s, the first in line %d: %s; correct or remove these lines",
                self.path,
                f"{entry.count:,}",
                entry.kind if entry.count > 1 else entry.kind.removesuffix("s"),
                entry.line,
                entry.reason,
            )


def _lines(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield the records of a file by line; PerfAssetsError at the first unreadable line."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, _parsed(path, number, line)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PerfAssetsError(
            f"{path}: the compressed file is damaged or cut after line {number} ({error}); "
            "fetch or write it again"
        ) from None
    except OSError as error:
        raise PerfAssetsError(f"{path}: the file cannot be read: {error}") from None


def _parsed(path: Path, number: int, line: bytes) -> Record:
    fault = ""
    try:
        record = _decoded(line)
        if isinstance(record, dict):
            return record
        fault = f"this is not a JSON object but {line!r:.80}"
    except (ValueError, RecursionError) as error:
        fault = f"this is not JSON ({error})"
    raise PerfAssetsError(f"{path}, line {number}: {fault}; correct that line of the corpus")


def _decoded(line: bytes) -> Any:  # noqa: ANN401
    try:  # All records share one copy of their keys: that is half of their memory.
        return from_json(line, cache_strings="keys")
    except ValueError:  # halves of characters, another encoding, or not JSON
        return whole_characters(json.loads(line))
