"""Every answer to the client's documents that GitHub's published schema allows, one at a time.

A variant changes one place of a good answer to something else that the schema allows there: null
where null may be, an empty list, a list with a null, each value of an enum and one that GitHub may
add, each member of a union or interface and one that GitHub may add, scalars at their limits.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import github
from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLEnumType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    parse,
)

from perf_assets.base.corpus import Corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import table_of
from perf_assets.schema.ddl import table_definition
from perf_assets.schema.frames import registered
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.host import UNLIMITED
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.github.transport import Answer
from perf_assets.sources.issues.batches import TABLES, IssueBatch, joined
from perf_assets.sources.json_answers import AnswerError
from perf_assets.stand_ins.github.server import CorpusServer
from tests.answer_fuzzing import HASTE
from tests.stand_ins.tracker import SHA, comment, corpus_of, event, issue, moment

OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
MONTHS = ["2021-01", "2021-02"]
NEW_WORD = "A_WORD_OF_THE_FUTURE"
NEW_TYPE = "ATypeOfTheFuture"
LIMITS: Mapping[str, tuple[object, ...]] = {
    "Int": (-(2**31), -1, 0, 2**31 - 1),
    "BigInt": ("0", str(2**63 - 1), str(2**64), 7),
    "Boolean": (True, False),
    "String": ("", "x" * 70_000, "\x00\x1b[2J\u202e", "=cmd()"),
    "ID": ("", "x" * 2000),
    "URI": ("https://github.com/o/n", "urn:x", ""),
    "DateTime": (
        *("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2021-01-01T00:00:00+05:30"),
        *("2021-01-01T00:00:00.123Z", "9999-12-31T23:59:59Z"),
    ),
    "GitObjectID": ("0" * 40, "0" * 64),
}
SAMPLES: Mapping[str, object] = {
    "Int": 1,
    "BigInt": "1",
    "Boolean": False,
    "String": "o/n",
    "ID": "X_1",
    "URI": "https://github.com/o/n",
    "DateTime": moment(60),
    "GitObjectID": SHA,
}
Way = tuple[str | int, ...]


@dataclass(frozen=True)
class Variant:
    """A change of a good answer: what becomes of the value at ``way``."""

    way: Way
    kind: str
    value: Any

    def __str__(self) -> str:
        place = ".".join(part for part in map(str, self.way))
        return f"{place}: {self.kind}: {json.dumps(self.value)[:60]}"

    @property
    def changes_counts(self) -> bool:
        """Whether it changes a count, or takes counted entries away."""
        return self.way[-1] in ("totalCount", "hasNextPage", "nodes") or self.kind == "member"

    def applied(self, answer: Any) -> Any:
        """A copy of ``answer`` with the change, where it has that place."""
        changed = copy.deepcopy(answer)
        *parents, last = self.way
        held = changed["data"]
        try:
            for part in parents:
                held = held[part]
            held[last]
        except (KeyError, IndexError, TypeError):
            return answer
        held[last] = self.value
        # An error about what is not there is none about what is.
        errors = [e for e in changed.get("errors", ()) if tuple(e["path"]) != self.way]
        return {"data": changed["data"]} | ({"errors": errors} if errors else {})


def variants(schema: GraphQLSchema, document: str, data: Mapping[str, Any]) -> Iterator[Variant]:
    """Yield the variants of ``data``, a good answer to ``document``."""
    (operation,) = _operations(parse(document))
    root = schema.query_type
    assert root is not None
    yield from _Walk(schema).of_object(root, operation.selection_set, data, ())


def _operations(document: DocumentNode) -> list[OperationDefinitionNode]:
    return [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]


@dataclass(frozen=True)
class _Walk:
    schema: GraphQLSchema

    def of_object(
        self, owner: GraphQLObjectType, selection: SelectionSetNode, value: Any, way: Way
    ) -> Iterator[Variant]:
        for field in self.fields(owner, selection):
            key = field.alias.value if field.alias else field.name.value
            if field.name.value == "__typename" or key not in value:
                continue
            kind = owner.fields[field.name.value].type
            yield from self.of_value(kind, field.selection_set, value[key], (*way, key))

    def fields(self, owner: GraphQLOutputType, selection: SelectionSetNode) -> Iterator[FieldNode]:
        """The fields that an object of type ``owner`` is asked for."""
        for node in selection.selections:
            if isinstance(node, FieldNode):
                yield node
            elif (
                isinstance(node, InlineFragmentNode)
                and node.type_condition is not None
                and node.type_condition.name.value == getattr(owner, "name", "")
            ):
                yield from self.fields(owner, node.selection_set)

    def of_value(
        self, kind: GraphQLOutputType, selection: SelectionSetNode | None, value: Any, way: Way
    ) -> Iterator[Variant]:
        if isinstance(kind, GraphQLNonNull):
            kind = kind.of_type
        elif value is not None:
            yield Variant(way, "null", None)
        if isinstance(kind, GraphQLList):
            yield from self.of_list(kind, selection, value, way)
        elif isinstance(kind, GraphQLEnumType):
            for word in [*kind.values, NEW_WORD]:
                yield Variant(way, "enum", word)
        elif isinstance(kind, GraphQLScalarType) and way[-1] != "endCursor":
            # A cursor is an answer of GitHub's own: what it gives, it takes.
            for limit in LIMITS[kind.name]:
                yield Variant(way, "scalar", limit)
        elif isinstance(kind, GraphQLUnionType | GraphQLInterfaceType):
            assert selection is not None
            for member in self.schema.get_possible_types(kind):
                yield Variant(way, "member", self.made(member, selection))
            yield Variant(way, "member", self.of_the_future(kind, selection))
            if value:
                owner = self.schema.type_map[value.get("__typename") or "Issue"]
                assert isinstance(owner, GraphQLObjectType)
                yield from self.of_object(owner, selection, value, way)
        elif isinstance(kind, GraphQLObjectType) and value is not None:
            assert selection is not None
            yield from self.of_object(kind, selection, value, way)

    def of_list(
        self, kind: GraphQLList[Any], selection: SelectionSetNode | None, value: Any, way: Way
    ) -> Iterator[Variant]:
        yield Variant(way, "list", [])
        if not isinstance(kind.of_type, GraphQLNonNull):
            yield Variant(way, "list", [None])
        seen: set[str] = set()
        for place, entry in enumerate(value or ()):
            shape = json.dumps(_shape(entry))
            if shape not in seen:  # another one of the same kind says nothing more
                seen.add(shape)
                yield from self.of_value(kind.of_type, selection, entry, (*way, place))

    def made(self, kind: GraphQLOutputType, selection: SelectionSetNode | None) -> Any:
        """A value of type ``kind``, with all that is asked for."""
        if isinstance(kind, GraphQLNonNull):
            return self.made(kind.of_type, selection)
        if isinstance(kind, GraphQLList):
            return [self.made(kind.of_type, selection)]
        if isinstance(kind, GraphQLScalarType):
            return SAMPLES[kind.name]
        if isinstance(kind, GraphQLEnumType):
            return next(iter(kind.values))
        assert selection is not None
        if isinstance(kind, GraphQLUnionType | GraphQLInterfaceType):
            kind = self.schema.get_possible_types(kind)[0]
        assert isinstance(kind, GraphQLObjectType)
        return {
            field.alias.value if field.alias else field.name.value: kind.name
            if field.name.value == "__typename"
            else self.made(kind.fields[field.name.value].type, field.selection_set)
            for field in self.fields(kind, selection)
        }

    def of_the_future(
        self, kind: GraphQLUnionType | GraphQLInterfaceType, selection: SelectionSetNode
    ) -> dict[str, Any]:
        return {
            field.name.value: NEW_TYPE
            if field.name.value == "__typename"
            else self.made(kind.fields[field.name.value].type, field.selection_set)
            for field in self.fields(kind, selection)
        }


def _shape(value: Any) -> Any:
    """The keys of a value, the types of its parts, and nothing else."""
    if isinstance(value, dict):
        return {key: (key == "__typename" and part) or _shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(_shape(part)) for part in value})
    return value is None


def long_lists() -> Corpus:
    """A repository with issues of every kind, and one whose lists have a second page each."""
    return corpus_of(
        [
            issue(
                1,
                0,
                500,
                state="closed",
                closed_at=moment(400),
                labels=[{"name": f"label {index}"} for index in range(31)],
                milestone={"title": "1.0"},
                reactions={"+1": 1},
                active_lock_reason="spam",
                type={"name": "Bug"},
            ),
            issue(2, 40 * 86_400),
        ],
        [comment(100 + index, 1, index, reactions={"+1": 1}) for index in range(26)],
        [
            event(200, 1, "closed", 1, closer={"type": "commit", "oid": SHA}),
            event(201, 1, "reopened", 2),
            event(202, 1, "closed", 3, closer={"type": "pull_request", "number": 90}),
            event(203, 1, "unlabeled", 4, label={"name": "bug"}),
            event(204, 1, "renamed", 5, rename={"from": "Old", "to": "Issue 1"}),
            event(205, 1, "transferred", 6, from_repository="x/old"),
            *(event(300 + i, 1, "labeled", 10 + i, label={"name": "bug"}) for i in range(47)),
            event(400, 1, "closed", 400, commit_id=SHA),
        ],
        [
            issue(90 + index, 50, state="closed", closed_at=moment(99))
            | {"merged_at": moment(99), "merge_commit_sha": SHA, "closes": [1], "commits": 2}
            for index in range(4)
        ],
    )


class Harness:
    """Asks questions of a source one of whose documents is answered by a variant, again and again.

    ``documents`` are the documents that were sent, and ``answers`` the good answers to them, by the
    names of their operations.
    """

    def __init__(self) -> None:
        self.documents: dict[str, str] = {}
        self.answers: dict[str, Any] = {}
        self._server = CorpusServer([long_lists()], limit=UNLIMITED)
        self.operations: dict[str, Callable[[GitHubIssues], object]] = {
            "Changed": lambda source: [
                page.batch for page in source.iter_changes(OLDEST, [MONTHS[:1], MONTHS[1:]])
            ],
            "Counts": self.cohorts,
            "Search": self.cohorts,
            "Rest": self.cohorts,
            "ChangedCount": lambda source: source.changed_count(OLDEST),
            "Removed": lambda source: source.find_removed([1, 2, 3]),
        }
        self.right = {name: self.ask(name, None) for name in self.operations}

    @staticmethod
    def cohorts(source: GitHubIssues) -> list[object]:
        return [found for _, found in source.cohorts(source.counts(MONTHS))]

    def ask(self, name: str, variant: Variant | None) -> object:
        """What an operation gives where every answer to its document is ``variant``."""
        asked = iter(range(400))

        def send(_: github.Github, verb: str, path: str, content: Any) -> Answer:
            next(asked)
            document = content["query"]
            named = document.split("(")[0].split()[1]
            body = json.dumps(content).encode()
            answer = json.loads(self._server.answer(verb, "/graphql", "token x", body).body)
            if variant is None:
                self.documents.setdefault(named, document)
                self.answers.setdefault(named, answer["data"])
            elif named == name:
                answer = variant.applied(answer)
            return Answer(200, {}, json.dumps(answer))

        client = GitHubClient("http://127.0.0.1", "x", patience=HASTE, send=send)
        try:
            return self.operations[name](GitHubIssues(client, "o/n"))
        finally:
            client.close()

    def outcome(self, name: str, variant: Variant) -> str:
        """What becomes of a variant: kept, null, set aside, waits (the month), or refused."""
        try:
            found = self.ask(name, variant)
        except PerfAssetsError as error:
            assert str(error).isprintable()
            return "refused"
        if not isinstance(found, list):
            return "kept"
        if any(isinstance(entry, AnswerError) for entry in found):
            return "waits"
        batches = [entry for entry in found if isinstance(entry, IssueBatch)]
        if not batches:
            return "kept"
        whole = joined(batches)
        store(whole)
        counts = (
            (whole.announced_comments, whole.comments.height + whole.set_aside("comments")),
            (whole.announced_events, whole.events.height + whole.set_aside("events")),
        )
        if any(announced != accounted for announced, accounted in counts):
            # Entries that GitHub counts and does not give: the audit has the month read again.
            assert variant.changes_counts
            return "waits"
        if "entry" in whole.gaps["lacks"]:
            return "set aside"
        return "null" if variant.value in (None, [], [None]) else "kept"


def store(batch: IssueBatch) -> None:
    """Store ``batch`` in tables as they are declared, whose conditions its rows must keep."""
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA raw")
        for name, rows in zip(TABLES, vars(batch).values(), strict=True):
            table = table_of(name)
            connection.execute(f"CREATE TABLE {name} {table_definition(table)}")
            placed = rows.filter(rows["month"].is_not_null())
            stamps = [column.name for column in table.columns if column.stamped]
            stamped = "".join(f", now() AS {column}" for column in stamps)
            with registered(connection, "rows", placed):
                connection.execute(f"INSERT INTO {name} BY NAME SELECT *{stamped} FROM rows")
