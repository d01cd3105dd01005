"""GitHub's GraphQL schema as it is published, and the part of it that the loopback server serves.

    python -m tests.published_schema

writes ``perf_assets/stand_ins/github/schema.graphql`` again from the published schema. The file
itself says what is served: to serve one more field, add it there with any type, then write it.
Types, nullability, values of enums and members of unions are always those that GitHub publishes, so
the loopback server cannot be narrower than GitHub.
"""

import base64
import functools
import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from graphql import (
    DefinitionNode,
    DocumentNode,
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    GraphQLSchema,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    TypeDefinitionNode,
    UnionTypeDefinitionNode,
    build_schema,
    parse,
    print_ast,
)

from perf_assets.stand_ins.github.graphql_api import SCHEMA_FILE

PACKAGE = "@octokit/graphql-schema@15.26.1"
SHA_512 = "RFDC2MpRBd4AxSRvUeBIVeBU7ojN/SxDfALUd7iVYOSeEK3gZaqR2MGOysj4Zh2xj2RY5fQAUT+Oqq7hWTraMA=="
HEADER = f"""\
# The part of GitHub's GraphQL schema that the loopback server serves, from {PACKAGE}.
# Written by tests/published_schema.py.
"""


class UnavailableError(Exception):
    """The published schema cannot be had on this machine."""


@functools.cache
def published_text() -> str:
    """Return GitHub's published schema, from the pinned npm package.

    Raises
    ------
    UnavailableError
        npm is not installed, or cannot fetch the package.
    """
    if shutil.which("npm") is None:
        raise UnavailableError("npm, which fetches GitHub's published schema, is not installed")
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", "--silent", PACKAGE],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if packed.returncode:
            raise UnavailableError(f"npm could not fetch {PACKAGE}")
        path = Path(folder) / packed.stdout.strip()
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        assert digest == SHA_512, f"{PACKAGE} is not the package that is pinned"
        with tarfile.open(path) as archive:
            file = archive.extractfile("package/schema.graphql")
            assert file is not None
            return file.read().decode()


@functools.cache
def published_schema() -> GraphQLSchema:
    """Return GitHub's published schema."""
    return build_schema(published_text(), assume_valid=True)


def served_part(own: str, published: str) -> str:
    """Return ``own``, a schema, with each definition as ``published`` has it.

    Of types, the fields and arguments that ``own`` names; of enums and unions, everything. Members
    of unions and implementations of interfaces that ``own`` lacks are added with their id.
    """
    wanted = _definitions(parse(own))
    known = _definitions(parse(published, no_location=True))
    _complete(wanted, known)
    parts = [_part(node, known[name], wanted) for name, node in sorted(wanted.items())]
    return HEADER + "\n" + "\n\n".join(map(print_ast, parts)) + "\n"


def _definitions(document: DocumentNode) -> dict[str, DefinitionNode]:
    return {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, TypeDefinitionNode)
    }


def _complete(wanted: dict[str, DefinitionNode], known: dict[str, DefinitionNode]) -> None:
    for name in list(wanted):
        node = known[name]
        if isinstance(node, UnionTypeDefinitionNode):
            members: Iterable[str] = [member.name.value for member in node.types]
        elif isinstance(node, InterfaceTypeDefinitionNode) and name != "Node":
            members = _implementations(name, known)
        else:
            continue
        for member in members:
            wanted.setdefault(member, parse(f"type {member} {{ id: ID! }}").definitions[0])
    actor = wanted["Actor"]
    assert isinstance(actor, InterfaceTypeDefinitionNode)
    for name in _implementations("Actor", known):
        node = wanted[name]
        assert isinstance(node, ObjectTypeDefinitionNode)
        node.fields = _merged(node.fields, actor.fields)


def _implementations(interface: str, known: dict[str, DefinitionNode]) -> Iterator[str]:
    for name, node in known.items():
        if isinstance(node, ObjectTypeDefinitionNode) and any(
            one.name.value == interface for one in node.interfaces
        ):
            yield name


def _merged(
    first: Iterable[FieldDefinitionNode], second: Iterable[FieldDefinitionNode]
) -> tuple[FieldDefinitionNode, ...]:
    fields = {field.name.value: field for field in [*second, *first]}
    return tuple(fields.values())


def _part(own: Any, known: Any, wanted: dict[str, DefinitionNode]) -> DefinitionNode:
    _plain(known)
    if isinstance(known, EnumTypeDefinitionNode):
        known.values = tuple(map(_plain, known.values))
    elif isinstance(known, InputObjectTypeDefinitionNode):
        known.fields = tuple(_plain(field) for field in known.fields if _has(own, field))
    elif isinstance(known, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        fields = {field.name.value: field for field in known.fields}
        kept = {}
        for field in sorted(own.fields, key=lambda one: one.name.value):
            full = kept[field.name.value] = _plain(fields[field.name.value])
            full.arguments = tuple(
                _plain(argument) for argument in full.arguments if _has(field, argument)
            )
        known.fields = tuple(kept.values())
        known.interfaces = tuple(
            one
            for one in known.interfaces
            if one.name.value in wanted and _names(wanted[one.name.value]) <= kept.keys()
        )
    else:
        assert isinstance(known, ScalarTypeDefinitionNode | UnionTypeDefinitionNode)
    return known  # type: ignore[no-any-return]


def _has(own: Any, inner: Any) -> bool:
    return inner.name.value in _names(own)


def _names(node: Any) -> set[str]:
    parts = node.arguments if isinstance(node, FieldDefinitionNode) else node.fields
    return {part.name.value for part in parts}


def _plain(node: Any) -> Any:
    node.description, node.directives = None, ()
    return node


if __name__ == "__main__":
    SCHEMA_FILE.write_text(served_part(SCHEMA_FILE.read_text("utf-8"), published_text()), "utf-8")
