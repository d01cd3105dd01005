"""GraphQL over trackers: the schema, and a query's way from text to the answer's dict.

graphql-core parses, validates and coerces. Its executor looks at every value several times, which
would cost most of the time of a large mining run, so queries run by a plan made once per query
(``PlannedExecution``); where anything goes wrong, graphql-core's own executor words the error.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, cast

from graphql import (
    DocumentNode,
    ExecutionContext,
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLResolveInfo,
    GraphQLScalarType,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    get_argument_values,
    get_named_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
    parse,
    validate,
)
from graphql.execution.collect_fields import collect_fields
from graphql.type import GraphQLList, GraphQLNonNull

from perf_assets.stand_ins.github.graphql_cost import Cost, Meter
from perf_assets.stand_ins.github.graphql_resolvers import RESOLVERS, Context, Resolver
from perf_assets.stand_ins.github.graphql_views import PLAIN_TYPES, View
from perf_assets.stand_ins.github.search import SearchError, interval

SCHEMA_FILE = Path(__file__).with_name("schema.graphql")
# Served at github.com, and not yet part of the published package:
# https://github.com/github/docs/pull/37143
ADDITIONS = """
extend type Issue { issueType: IssueType }
type IssueType { name: String! }
"""
# Never null at GitHub; a corpus may not know them.
UNKNOWN_TO_CORPORA = (
    *("Issue.authorAssociation", "IssueComment.authorAssociation"),
    *("PullRequest.additions", "PullRequest.changedFiles", "PullRequest.deletions"),
)
UNKNOWN_FIELD = re.compile(r"Cannot query field '(\w+)' on type '(\w+)'")
UNKNOWN_ARGUMENT = re.compile(r"Unknown argument '(\w+)' on field '\w+\.(\w+)'")
KEPT_DOCUMENTS = 256

Fields = Mapping[str, list[FieldNode]]
Make = Callable[[Any], Any]


def _parse_moment(text: object) -> str:
    try:
        return interval(str(text))[0]
    except SearchError:
        raise GraphQLError(f"Could not parse the DateTime {text!r}.") from None


def _as_core_resolver(resolver: Resolver) -> Callable[..., object]:
    def resolve(source: View, info: GraphQLResolveInfo, **arguments: object) -> object:
        return resolver(source, info.context, arguments)

    return resolve


def _build_schema() -> GraphQLSchema:
    schema = build_schema(SCHEMA_FILE.read_text(encoding="utf-8") + ADDITIONS)
    for name in UNKNOWN_TO_CORPORA:
        owner, _, field = name.partition(".")
        definition = cast(GraphQLObjectType, schema.type_map[owner]).fields[field]
        definition.type = cast(GraphQLNonNull[Any], definition.type).of_type
    moment = cast(GraphQLScalarType, schema.type_map["DateTime"])
    moment.parse_value = _parse_moment  # type: ignore[method-assign,assignment]
    for (owner, name), resolver in RESOLVERS.items():
        fields = cast(GraphQLObjectType, schema.type_map[owner]).fields
        fields[name].resolve = _as_core_resolver(resolver)
    return schema


SCHEMA = _build_schema()


class Query(NamedTuple):
    """A query that may run: its execution, its name where it has one, and its cost."""

    execution: "PlannedExecution"
    operation: str | None
    cost: Cost


@lru_cache(maxsize=KEPT_DOCUMENTS)
def _document(text: str) -> tuple[DocumentNode, Sequence[GraphQLError]]:
    document = parse(text)
    return document, validate(SCHEMA, document)


def prepare(text: str, variables: Mapping[str, Any], operation: str | None = None) -> Query:
    """Parse, validate and measure a query.

    Raises
    ------
    ExceptionGroup
        The GraphQLErrors why it cannot run.
    """
    try:
        document, errors = _document(text)
        if errors:
            raise ExceptionGroup("invalid query", list(errors))
        built = PlannedExecution.build(
            SCHEMA,
            document,
            raw_variable_values=dict(variables),
            operation_name=operation,
            is_awaitable=lambda _: False,
        )
        if isinstance(built, list):
            raise ExceptionGroup("invalid variables", built)
        execution = cast(PlannedExecution, built)
        meter = Meter(SCHEMA, execution.fragments, execution.variable_values)
        cost = meter.measure(execution.operation.selection_set)
    except GraphQLError as error:
        raise ExceptionGroup("refused query", [error]) from None
    name = execution.operation.name
    return Query(execution, name.value if name else None, cost)


def execute(query: Query, context: Context) -> dict[str, Any]:
    """Return the answer to a prepared query, in the shape GitHub sends it."""
    execution = query.execution
    execution.context_value = context
    try:
        data = execution.execute_operation(execution.operation, None)
        errors: Sequence[GraphQLError] = execution.collected_errors.errors
    except GraphQLError as error:
        data, errors = None, [error]
    return {"data": data} | ({"errors": error_list(errors)} if errors else {})


def error_list(errors: Sequence[GraphQLError]) -> list[dict[str, Any]]:
    """Return errors as GitHub writes them: the type beside the message, not in the extensions."""
    written = []
    for error in errors:
        content = cast(dict[str, Any], error.formatted)
        extensions = content.pop("extensions", {})
        kind = {"type": extensions["type"]} if extensions else {}
        written.append({**kind, **content, **_validation_error(error.message)})
    return written


def _validation_error(message: str) -> dict[str, Any]:
    """Return GitHub's refusal of a field or an argument that it does not know."""
    if found := UNKNOWN_FIELD.match(message):
        name, owner = found.groups()
        return {
            "message": f"Field '{name}' doesn't exist on type '{owner}'",
            "extensions": {"code": "undefinedField", "typeName": owner, "fieldName": name},
        }
    if found := UNKNOWN_ARGUMENT.match(message):
        argument, name = found.groups()
        return {
            "message": f"Field '{name}' doesn't accept argument '{argument}'",
            "extensions": {
                "code": "argumentNotAccepted",
                "name": name,
                "typeName": "Field",
                "argumentName": argument,
            },
        }
    return {}


class PlannedExecution(ExecutionContext):
    """Executes a query by a tree of functions in which names, types and arguments are resolved."""

    def execute_operation(self, operation: OperationDefinitionNode, root_value: object) -> Any:  # noqa: ANN401
        """Run the plan; GraphQLError and collected errors as graphql-core has them."""
        root = cast(GraphQLObjectType, self.schema.query_type)
        try:
            fields = collect_fields(
                self.schema, self.fragments, self.variable_values, root, operation.selection_set
            )
            return self._plan_object(root, fields)({})
        except Exception:
            # Errors are rare and their form matters: the reference executor repeats the query.
            return super().execute_operation(operation, root_value)

    def _plan_object(self, owner: GraphQLObjectType, fields: Fields) -> Make:
        if self._is_view(owner, fields):
            return _same
        steps = [(key, *self._plan_field(owner, nodes)) for key, nodes in fields.items()]
        return lambda source: {key: complete(get(source)) for key, get, complete in steps}

    def _is_view(self, owner: GraphQLObjectType, fields: Fields) -> bool:
        """Return whether these fields of a view are the view itself, and those of each object in
        it.
        """
        names = {key: nodes[0].name.value for key, nodes in fields.items()}
        if owner.name not in PLAIN_TYPES or names != {key: key for key in owner.fields}:
            return False
        inner = {key: get_named_type(field.type) for key, field in owner.fields.items()}
        return all(
            is_leaf_type(kind)
            or (
                is_object_type(kind)
                and self._is_view(kind, self.collect_subfields(kind, fields[key]))
            )
            for key, kind in inner.items()
        )

    def _plan_field(self, owner: GraphQLObjectType, nodes: list[FieldNode]) -> tuple[Make, Make]:
        name = nodes[0].name.value
        if name == "__typename":
            return (lambda _: owner.name), _same
        definition: GraphQLField = owner.fields[name]
        complete = self._plan_type(definition.type, nodes)
        resolver = RESOLVERS.get((owner.name, name))
        if resolver is None:
            return itemgetter(name), complete
        context = self.context_value
        arguments = get_argument_values(definition, nodes[0], self.variable_values)
        return (lambda source: resolver(source, context, arguments)), complete

    def _plan_type(self, kind: GraphQLOutputType, nodes: list[FieldNode]) -> Make:
        if is_non_null_type(kind):
            return _required(self._plan_type(cast(GraphQLNonNull[Any], kind).of_type, nodes))
        if is_leaf_type(kind):
            return _same
        if is_list_type(kind):
            return _each(self._plan_type(cast(GraphQLList[Any], kind).of_type, nodes))
        return self._plan_composite(kind, nodes)

    def _plan_composite(self, kind: GraphQLOutputType, nodes: list[FieldNode]) -> Make:
        """Return objects of a type that may be known only from the value."""
        plans: dict[str, Make] = {}
        name = cast(GraphQLObjectType, kind).name if is_object_type(kind) else None

        def complete(value: View | None) -> Any:  # noqa: ANN401
            if value is None:
                return None
            typename = name or value["__typename"]
            if typename not in plans:
                owner = cast(GraphQLObjectType, self.schema.type_map[typename])
                plans[typename] = self._plan_object(owner, self.collect_subfields(owner, nodes))
            return plans[typename](value)

        return complete


def _same(value: object) -> object:
    return value


def _required(make: Make) -> Make:
    def complete(value: object) -> object:
        if value is None:
            raise ValueError("null for a non-nullable field")
        return make(value)

    return complete


def _each(make: Make) -> Make:
    def complete(values: Sequence[object] | None) -> list[object] | None:
        return None if values is None else [make(value) for value in values]

    return complete
