"""What a GraphQL query costs before it runs: points, possible nodes, and GitHub's limits on both.

Source: https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLSchema,
    InlineFragmentNode,
    SelectionSetNode,
    get_argument_values,
    get_named_type,
)
from graphql.execution.collect_fields import should_include_node
from graphql.type import GraphQLInterfaceType, GraphQLObjectType

LARGEST_PAGE = 100
LARGEST_QUERY = 500_000
REQUESTS_PER_POINT = 100

Path = tuple[str, ...]


@dataclass
class Cost:
    """The sums over a query's connections.

    ``requests`` is the number of requests needed to fulfil each connection when all are full,
    ``nodes`` the number of nodes that the query may return.
    """

    requests: int = 0
    nodes: int = 0
    connections: set[Path] = field(default_factory=set)

    @property
    def points(self) -> int:
        """Requests divided by 100, rounded, at least 1: GitHub's aggregate point value."""
        return max(1, round(self.requests / REQUESTS_PER_POINT))


@dataclass(frozen=True)
class Meter:
    """Walks one operation with its variables."""

    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]

    def measure(self, selection: SelectionSetNode) -> Cost:
        """Return the cost of a query with this root selection.

        Raises
        ------
        GraphQLError
            With GitHub's error type, where a page or the whole query is too large, or a
            connection is read without a page size.
        """
        cost = Cost()
        self._walk(selection, "Query", 1, (), cost)
        if cost.nodes > LARGEST_QUERY:
            raise GraphQLError(
                f"This query requests up to {cost.nodes:,} possible nodes "
                f"which exceeds the maximum limit of {LARGEST_QUERY:,}.",
                extensions={"type": "MAX_NODE_LIMIT_EXCEEDED"},
            )
        return cost

    def _walk(
        self, selection: SelectionSetNode, parent: str, times: int, path: Path, cost: Cost
    ) -> None:
        for node in selection.selections:
            assert isinstance(node, FieldNode | FragmentSpreadNode | InlineFragmentNode)
            if not should_include_node(dict(self.variables), node):
                continue
            if isinstance(node, FieldNode):
                self._walk_field(node, parent, times, path, cost)
                continue
            fragment = (
                self.fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
            )
            condition = fragment.type_condition
            inner = condition.name.value if condition else parent
            self._walk(fragment.selection_set, inner, times, path, cost)

    def _walk_field(self, node: FieldNode, parent: str, times: int, path: Path, cost: Cost) -> None:
        if node.selection_set is None:
            return
        owner = self.schema.type_map[parent]
        assert isinstance(owner, GraphQLObjectType | GraphQLInterfaceType)
        definition = owner.fields[node.name.value]
        kind = get_named_type(definition.type).name
        here = (*path, node.alias.value if node.alias else node.name.value)
        times = self._count(node, definition, kind, times, here, cost)
        self._walk(node.selection_set, kind, times, here, cost)

    def _count(
        self,
        node: FieldNode,
        definition: GraphQLField,
        kind: str,
        times: int,
        path: Path,
        cost: Cost,
    ) -> int:
        """Add a field that multiplies what is below it; return how often that is read."""
        is_connection = kind.endswith("Connection")
        if not is_connection and path[0] != "nodes":
            return times
        arguments = get_argument_values(definition, node, dict(self.variables))
        if is_connection:
            size = _page_size(node, arguments.get("first"), path)
        elif "ids" in arguments:
            size = _id_count(arguments["ids"], path)
        else:
            return times
        if path not in cost.connections:
            cost.connections.add(path)
            cost.requests += times
            cost.nodes += times * size
        return times * size


def _page_size(node: FieldNode, first: int | None, path: Path) -> int:
    name = node.name.value
    if first is None:
        selection = node.selection_set.selections if node.selection_set else ()
        if _names(selection).isdisjoint({"nodes", "edges", "pageInfo"}):
            return 0
        raise _refuse(
            "MISSING_PAGINATION_BOUNDARIES",
            "You must provide a `first` or `last` value to properly paginate "
            f"the `{name}` connection.",
            path,
        )
    if first > LARGEST_PAGE:
        raise _refuse(
            "EXCESSIVE_PAGINATION",
            f"Requesting {first} records on the `{name}` connection exceeds "
            f"the `first` limit of {LARGEST_PAGE} records.",
            path,
        )
    if first < 1:
        raise _refuse(
            "ARGUMENT_LIMIT", f"`first` on the `{name}` connection must be at least 1.", path
        )
    return first


def _id_count(ids: list[str], path: Path) -> int:
    if len(ids) > LARGEST_PAGE:
        raise _refuse(
            "ARGUMENT_LIMIT",
            f"You may not provide more than {LARGEST_PAGE} node ids; you provided {len(ids)}.",
            path,
        )
    return len(ids)


def _names(selection: Iterable[object]) -> set[str]:
    """Return the fields selected; a fragment may hold any, so it counts as ``nodes``."""
    return {node.name.value if isinstance(node, FieldNode) else "nodes" for node in selection}


def _refuse(kind: str, message: str, path: Path) -> GraphQLError:
    return GraphQLError(message, path=list(path), extensions={"type": kind})
