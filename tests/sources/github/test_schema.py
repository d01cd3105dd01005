"""The documents the client sends, and the schema the loopback server has, against GitHub's own."""

import shutil
import subprocess
import tarfile
from importlib.resources import files
from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema, parse, validate
from graphql.type import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
)

from perf_assets.sources.github import queries

PACKAGE = "@octokit/graphql-schema@15"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> GraphQLSchema:
    if shutil.which("npm") is None:
        pytest.skip("npm, which fetches GitHub's published schema, is not installed")
    directory = tmp_path_factory.mktemp("schema")
    packed = subprocess.run(
        ["npm", "pack", "--silent", PACKAGE],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if packed.returncode:
        pytest.skip(f"npm could not fetch {PACKAGE}")
    with tarfile.open(directory / packed.stdout.strip()) as archive:
        archive.extractall(directory, filter="data")
    text = (directory / "package" / "schema.graphql").read_text(encoding="utf-8")
    return build_schema(text, assume_valid=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        queries.LOOK,
        queries.CHANGED_COUNT,
        queries.changed_document(2),
        queries.whereabouts_document(2),
        queries.SEARCH,
        queries.counts_document(2),
        queries.rest_document(list(queries.CONNECTIONS)),
    ],
    ids=["look", "changed-count", "changed", "whereabouts", "search", "counts", "rest"],
)
def test_every_document_is_valid_at_github(published: GraphQLSchema, document: str) -> None:
    assert validate(published, parse(document)) == []


def members(schema: GraphQLSchema) -> dict[str, str]:
    """Every field, argument, enum value and union member of a schema, with its type."""
    found: dict[str, str] = {}
    for name, kind in schema.type_map.items():
        if name.startswith("__"):
            continue
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for field, definition in kind.fields.items():
                found[f"{name}.{field}"] = str(definition.type)
                for argument, value in definition.args.items():
                    found[f"{name}.{field}({argument})"] = str(value.type)
        elif isinstance(kind, GraphQLInputObjectType):
            found |= {f"{name}.{field}": str(value.type) for field, value in kind.fields.items()}
        elif isinstance(kind, GraphQLEnumType):
            found |= dict.fromkeys((f"{name}.{value}" for value in kind.values), "")
        elif isinstance(kind, GraphQLUnionType):
            found |= {f"{name}|{member.name}": "" for member in kind.types}
    return found


@pytest.mark.slow
def test_the_loopback_server_has_nothing_that_github_has_not(published: GraphQLSchema) -> None:
    path = Path(str(files("perf_assets.mock_servers.github").joinpath("schema.graphql")))
    own = members(build_schema(path.read_text(encoding="utf-8")))
    known = members(published)
    assert len(own) > 150
    # Never null on GitHub; a corpus may not know it.
    for name in ("Issue.authorAssociation", "IssueComment.authorAssociation"):
        assert known[name] == f"{own.pop(name)}!"
    assert {name: known.get(name) for name in own} == own
