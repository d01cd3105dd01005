"""Good answers of the loopback GitHub, spoiled by chance, and what must hold whatever comes.

What a field may hold is taken from GitHub's GraphQL schema, so that values are wrong in the ways
that matter for their types.
"""

import copy
import json
import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import github
import polars as pl
from graphql import GraphQLNonNull, GraphQLObjectType, get_named_type

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import is_month
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.host import UNLIMITED
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.github.transport import Answer
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.graphql_api import SCHEMA
from perf_assets.stand_ins.github.server import CorpusServer
from tests.github_stand_in import batches_of, changes

CANARY = "ghp_canaryFUZZED"
HASTE = GitHubPolicy(
    attempts=2,
    first_pause=0.0,
    longest_pause=0.0,
    secondary_pause=0.0,
    reset_margin=0.0,
    longest_wait=0.0,
    longest_trouble=5.0,
)
MOST_REQUESTS = 100  # of one example: beyond, it would never end
MOST_SECONDS = 60.0
LONGEST_SENTENCE = 600
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
GONE = object()

TEXTS = (
    *("", "\ud800", "x\udc00y", "\x00", "\x1b[2J", "[/x]", "<script>", "=cmd()", "a\nb", "\u202e"),
    *("'; DROP TABLE raw.issues; --", "../../x", "--upload-pack=x", CANARY, "x" * 5000, "ghost"),
)
NUMBERS = (-1, 0, 1, 2**31 - 1, 2**31, 2**63, 10**40, 1.5, -0.0, 1e308, float("nan"), float("inf"))
OTHERS = (True, False, None, [], {}, [None], [[[]]], {"": None}, {"nodes": [{}]}, [{}])
OF_TYPE: dict[str, tuple[object, ...]] = {
    "DateTime": (
        *("2020-01-01", "2020-02-30T00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T24:00:00Z"),
        *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "2020-01-01T00:00:00.123456789Z"),
        *("2020-01-01T00:00:00+05:30", "2999-01-01T00:00:00Z", "２０２０-01-01T00:00:00Z"),
        *("1969-12-31T23:59:59Z", "2020-W01-1T00:00:00Z", "2016-12-31T23:59:60Z", 1577836800),
    ),
    "Int": NUMBERS,
    "BigInt": (*NUMBERS, "12", "-1", "1e3", "9" * 5000, " 7 ", "0x1f"),
    "URI": ("javascript:alert(1)", "http://", "//x", "https://x/\n", "file:///etc/passwd"),
    "GitObjectID": ("0" * 39, "G" * 40, "0" * 64, "HEAD", "-x"),
    "ID": ("", "x" * 2000, 7),
    "Boolean": (0, 1, "true", "false"),
}
STATUSES = (
    100,
    200,
    201,
    202,
    204,
    301,
    302,
    304,
    400,
    401,
    403,
    404,
    408,
    418,
    422,
    429,
    500,
    502,
)
HEADER_VALUES = ("0", "-1", "1e999", "nan", "soon", "", "9" * 400, "1, 2", CANARY, "99999999999")
HEADERS = ("x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-limit", "retry-after")


def _kinds() -> Iterator[tuple[str, str, bool]]:
    for owner in SCHEMA.type_map.values():
        if isinstance(owner, GraphQLObjectType):
            for name, asked in owner.fields.items():
                is_needed = isinstance(asked.type, GraphQLNonNull)
                yield name, get_named_type(asked.type).name, is_needed


# The type of a field, and whether it is never null, where all types of the schema agree on it.
TYPES = {name: kind for name, kind, _ in _kinds()}
NEVER_NULL = {name for name, _, needed in _kinds() if needed} - {
    name for name, _, needed in _kinds() if not needed
}

Way = tuple[str | int, ...]


class FindingError(AssertionError):
    """What must hold does not."""


@dataclass
class Spoiled:
    """How answers are spoiled in one example; ``done`` says what was done."""

    chance: random.Random
    place: int
    is_every: bool
    done: list[str] = field(default_factory=list)
    lost: bool = False

    def __call__(self, number: int, good: str) -> Answer:
        """The answer to request ``number`` in place of the text ``good``."""
        if number != self.place and not self.is_every:
            return Answer(200, {}, good)
        kind = self.chance.random()
        if kind < 0.08:
            return self._of_text(good)
        if kind < 0.16:
            return self._of_http(good)
        content = json.loads(good)
        for _ in range(self.chance.choice((1, 1, 1, 2, 5))):
            self._spoil(content)
        return Answer(200, {}, json.dumps(content))

    def _of_text(self, good: str) -> Answer:
        place = self.chance.randrange(len(good))
        odd = self.chance.choice(("", "\\ud800", "\x00", "[" * 5000, "9" * 5000, "NaN", "}", '"'))
        self.done.append(f"text at {place}: {odd[:20]!r}")
        rest = good[place:] if self.chance.random() < 0.7 else ""
        return Answer(200, {}, good[:place] + odd + rest)

    def _of_http(self, good: str) -> Answer:
        status = self.chance.choice(STATUSES)
        headers = {
            name: self.chance.choice(HEADER_VALUES)
            for name in HEADERS
            if self.chance.random() < 0.5
        }
        words = {"message": self.chance.choice((*TEXTS, *OTHERS, "rate limit"))}
        kinds = (
            *("NOT_FOUND", "FORBIDDEN", "RATE_LIMIT", "RATE_LIMITED", "RESOURCE_LIMITS_EXCEEDED"),
            *("SERVICE_UNAVAILABLE", "INSUFFICIENT_SCOPES", "X", None, 7, []),
        )
        errors = self.chance.choice(
            (7, "no", [], [None], [{**words, "type": self.chance.choice(kinds)}], words)
        )
        body = self.chance.choice(
            (good, "", "null", json.dumps(words), json.dumps({"errors": errors}))
        )
        self.done.append(f"HTTP {status} {headers} {body[:200]}")
        return Answer(status, headers, body)

    def _spoil(self, content: Any) -> None:
        ways = list(_ways(content))
        if not ways:
            return
        way = self.chance.choice(ways)
        *parents, last = way
        holder = content
        for part in parents:
            holder = holder[part]
        # A copy, as a later change may go into it.
        value = self._value(holder[last], last)
        value = value if value is GONE else copy.deepcopy(value)
        name = next((part for part in reversed(way) if isinstance(part, str)), "")
        self.done.append(
            f"{'.'.join(map(str, way))}: {'gone' if value is GONE else ascii(value)[:80]}"
        )
        if value is GONE:
            # What was asked for is missing: a list with fewer entries may be right.
            self.lost |= isinstance(last, str) and name in TYPES
            del holder[last]
        else:
            self.lost |= value is None and isinstance(last, str) and name in NEVER_NULL
            holder[last] = value

    def _value(self, old: Any, name: str | int) -> Any:
        kind = self.chance.random()
        if kind < 0.2:
            return None
        if kind < 0.35:
            return GONE
        if kind < 0.6 and TYPES.get(str(name)) in OF_TYPE:
            return self.chance.choice(OF_TYPE[TYPES[str(name)]])
        if kind < 0.7 and isinstance(old, list):
            return self.chance.choice((old * 2, old[::-1], [*old, None], old[:1], {"0": old}))
        if kind < 0.75 and isinstance(old, str):
            return old + self.chance.choice(TEXTS)
        return self.chance.choice((*TEXTS, *NUMBERS, *OTHERS))


def _ways(value: Any, way: Way = ()) -> Iterator[Way]:
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in pairs:
        yield (*way, key)
        yield from _ways(inner, (*way, key))


class _Said(logging.Handler):
    """Keeps what is logged."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


class Fuzzer:
    """Asks a source whose answers are spoiled, over a few issues, and judges what comes of it."""

    def __init__(self, directory: Path) -> None:
        """Make the corpus in ``directory``."""
        generate(directory / "corpus", seed=7, issues=6, months=2, commits=20)
        self._corpus: Corpus = read_corpus(directory / "corpus")
        self._server = CorpusServer([self._corpus], limit=UNLIMITED)
        self._good: dict[str, str] = {}
        self.months = sorted({issue["created_at"][:7] for issue in self._corpus.issues.values()})
        self.operations: dict[str, Callable[[GitHubIssues], object]] = {
            "newest": lambda source: source.newest().newest_update,
            "changes": lambda source: changes(source, OLDEST).batch,
            "changes and counts": lambda source: [
                (page.totals, page.batch) for page in source.iter_changes(OLDEST, [self.months])
            ],
            "counts": lambda source: source.counts(self.months),
            "changed count": lambda source: source.changed_count(OLDEST),
            "removed": lambda source: source.find_removed([*self._corpus.issues, 10**6]),
            "cohorts": lambda source: joined(batches_of(source, dict.fromkeys(self.months, 3))),
        }
        self._right = {
            name: ask(self._source(lambda _, good: Answer(200, {}, good), []))
            for name, ask in self.operations.items()
        }

    def example(self, seed: int) -> str | None:
        """Try one; the sentence it ends in, None where it gives a result.

        Raises
        ------
        FindingError
            Neither a right result nor one sentence, or not in time.
        """
        chance = random.Random(seed)
        name = chance.choice(list(self.operations))
        spoiled = Spoiled(chance, chance.choice((0, 0, 0, 1, 2)), chance.random() < 0.3)
        messages: list[str] = []
        source = self._source(spoiled, messages)
        started = time.monotonic()
        sentence: str | None = None
        said = _Said(messages)
        logging.getLogger("perf_assets").addHandler(said)
        try:
            result = self.operations[name](source)
        except PerfAssetsError as error:
            sentence = str(error)
        except Exception as error:
            raise FindingError(
                f"{seed}: {name}: {spoiled.done}: {type(error).__name__}: {error}"
            ) from error
        finally:
            source.client.close()
            logging.getLogger("perf_assets").removeHandler(said)
        trouble = next(filter(None, map(_wrong_sentence, [*messages, sentence or "x"])), None)
        if sentence is None:
            trouble = trouble or _wrong_result(result)
            is_alone = len(spoiled.done) == 1
            is_word = any(not batch.gaps.is_empty() for batch in _batches(result)) or messages
            if spoiled.lost and is_alone and not is_word and not _same(result, self._right[name]):
                trouble = trouble or "something was lost without a word"
        if time.monotonic() - started > MOST_SECONDS:
            trouble = trouble or "it took too long"
        if trouble is not None:
            raise FindingError(f"{seed}: {name}: {spoiled.done}: {trouble}")
        return sentence

    def _source(self, spoil: Callable[[int, str], Answer], messages: list[str]) -> GitHubIssues:
        asked = iter(range(MOST_REQUESTS))

        def send(_: github.Github, verb: str, path: str, content: object) -> Answer:
            number = next(asked, None)
            if number is None:
                raise FindingError("it asks without end")
            body = json.dumps(content)
            if body not in self._good:
                reply = self._server.answer(verb, "/graphql", f"token {CANARY}", body.encode())
                if len(self._good) > 500:  # whatever a spoiled answer led to
                    return spoil(number, reply.body.decode())
                self._good[body] = reply.body.decode()
            return spoil(number, self._good[body])

        client = GitHubClient("http://127.0.0.1", CANARY, messages.append, HASTE, send)
        return GitHubIssues(client, self._corpus.repository)


def _wrong_sentence(text: str) -> str | None:
    if not text.isprintable() or not text or len(text) > LONGEST_SENTENCE:
        return f"this is not one plain sentence: {text!r}"
    return f"it shows the token: {text!r}" if CANARY in text else None


def _batches(result: object) -> Iterator[IssueBatch]:
    if isinstance(result, IssueBatch):
        yield result
    elif isinstance(result, list | tuple):
        for entry in result:
            yield from _batches(entry)


def _wrong_result(result: object) -> str | None:
    for batch in _batches(result):
        for frame in vars(batch).values():
            frame.to_arrow()  # what Arrow cannot hold, no table can
            months = frame["month"].to_list()
            if not all(is_month(month) for month in months):
                return f"no months: {months}"
    return None


def _same(one: object, other: object) -> bool:
    if isinstance(one, IssueBatch) and isinstance(other, IssueBatch):
        pairs = zip(vars(one).values(), vars(other).values(), strict=True)
        return all(_sorted(left).equals(_sorted(right)) for left, right in pairs)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _sorted(frame: pl.DataFrame) -> pl.DataFrame:
    keys = [name for name in frame.columns if frame.schema[name] != pl.List(pl.String)]
    return frame.sort(keys)
