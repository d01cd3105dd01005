"""The analysts' cookbook: the queries of sql/, each with its question, reading and parameters.

The comment at the head of a file has its question, how to read the answer, the group of the
question, and further words by which people search for it:

    -- Question: which performance bugs took longest to fix?
    -- How to read: the slowest, in days from opening to the latest close.
    -- Group: fixes
    -- Words: slow, duration

A query is one SELECT that any DuckDB from 1.1 on runs unchanged. Its parameters are in its first
step, a line each, and are variables of the session:

    coalesce(getvariable('rows'), 20) as rows, -- count: how many fixes

Before the meaning stands the kind, see :mod:`perf_assets.schema.models.parameters`.
``SET VARIABLE rows = 9`` before it, or ``perf-assets query NAME --param rows=9`` sets one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.paths import queries_dir
from perf_assets.schema.models.files import read_description
from perf_assets.schema.models.parameters import Parameter, parameters_of

GROUPS = (
    *("trend", "bug reports", "fixes", "people", "areas", "labels", "links", "forums"),
    *("static checks", "benchmarks", "data quality"),
)
"""The groups of the questions, in the order in which every listing shows them."""

QUESTION, READING = "Question: ", "How to read: "
HEADING = re.compile(r"^-- (?P<heading>Group|Words): (?P<text>.+)\n?", re.MULTILINE)
WORD = re.compile(r"[^\W_]+")
VARIABLE = re.compile(r"getvariable\('(\w+)'\)")


@dataclass(frozen=True)
class Query:
    """A query: its SQL, and what its head says.

    question : what it answers; empty if a user's query does not say.
    reading : how to read the answer.
    parameters : what may be chosen, by name.
    group : one of ``GROUPS``; empty for a user's query.
    words : further words by which people search for it.
    """

    name: str
    sql: str
    question: str
    reading: str
    parameters: Mapping[str, Parameter]
    group: str = ""
    words: str = ""

    @property
    def searched(self) -> str:
        """The words that a search matches: of group, question and name, and those beside them."""
        return _normalised(f"{self.group} {self.question} {self.name} {self.words}")

    @property
    def statement(self) -> str:
        """Its SQL without the head."""
        lines = self.sql.strip().splitlines()
        return "\n".join(dropwhile(lambda line: not line or line.startswith("--"), lines))

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it reads, those without a default too, sorted."""
        return tuple(sorted(set(VARIABLE.findall(self.sql))))


def parse_query_file(name: str, sql: str) -> Query:
    """Return the query called ``name`` with the text ``sql``."""
    headings = {found["heading"]: found["text"] for found in HEADING.finditer(sql)}
    head = read_description(HEADING.sub("", sql.strip()))
    question, _, reading = (part.strip() for part in head.partition(READING))
    question = question.removeprefix(QUESTION)
    return Query(
        name,
        sql,
        _begun(question),
        _begun(reading),
        parameters_of(sql),
        headings.get("Group", ""),
        headings.get("Words", ""),
    )


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


@cache
def cookbook() -> Mapping[str, Query]:
    """Return all queries by name, in the order of their groups, and by name within a group.

    Raises
    ------
    PerfAssetsError
        A query has no group, or an unknown one.
    """
    paths = queries_dir().glob("*.sql")
    queries = [parse_query_file(path.stem, path.read_text(encoding="utf-8")) for path in paths]
    for query in queries:
        if query.group not in GROUPS:
            raise PerfAssetsError(
                f"sql/{query.name}.sql: the head needs a line '-- Group: NAME' with one of "
                f"{', '.join(GROUPS)}"
            )
    queries.sort(key=lambda query: (GROUPS.index(query.group), query.name))
    return {query.name: query for query in queries}


def by_group(queries: Iterable[Query]) -> dict[str, list[Query]]:
    """Return ``queries`` by their group, in the order in which they come."""
    groups: dict[str, list[Query]] = {}
    for query in queries:
        groups.setdefault(query.group, []).append(query)
    return groups


def search(queries: Iterable[Query], text: str) -> list[Query]:
    """Return the queries in which every word of ``text`` begins a word; all for an empty text.

    The case of letters does not matter, nor a plural: "releases" finds "release". The console of
    the site searches by the same rule.
    """
    words = [
        word.removesuffix("s") if len(word) > 3 else word for word in _normalised(text).split()
    ]
    return [query for query in queries if all(f" {word}" in query.searched for word in words)]


def _normalised(text: str) -> str:
    return f" {' '.join(WORD.findall(text.lower()))} "


def read_query(path: Path) -> Query:
    """Return the query in the file at ``path``.

    Raises
    ------
    PerfAssetsError
        It cannot be read, or is not text.
    """
    try:
        return parse_query_file(path.stem, path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PerfAssetsError(f"{path}: this cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PerfAssetsError(f"{path}: not UTF-8 text; save it as UTF-8") from None
