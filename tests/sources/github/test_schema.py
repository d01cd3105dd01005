"""The documents the client sends, and the schema the loopback server has, against GitHub's own."""

import pytest
from graphql import GraphQLSchema, parse, validate

from perf_assets.sources.github import queries
from perf_assets.stand_ins.github.graphql_api import SCHEMA_FILE
from tests.published_schema import (
    published_schema,
    published_text,
    served_part,
)

pytestmark = pytest.mark.slow
DOCUMENTS = {
    "changed-count": queries.CHANGED_COUNT,
    "changed": queries.changed_document(2),
    "removed": queries.removed_document(2),
    "search": queries.SEARCH,
    "counts": queries.counts_document(2),
    "rest": queries.rest_document(list(queries.CONNECTIONS)),
    "pull-requests": queries.pull_requests_document([1, 2]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_is_valid_at_github(published: GraphQLSchema, name: str) -> None:
    assert validate(published, parse(DOCUMENTS[name])) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_is_valid_without_what_an_older_server_lacks(
    published: GraphQLSchema, name: str
) -> None:
    document = DOCUMENTS[name]
    for text in queries.OPTIONAL.values():
        document = document.replace(text, "")
    assert validate(published_schema(), parse(document)) == []
    assert not any(field in document for field in queries.OPTIONAL)


def test_the_loopback_server_has_what_github_publishes_and_cannot_be_narrower(
    published: GraphQLSchema,
) -> None:
    served = SCHEMA_FILE.read_text(encoding="utf-8")
    assert served == served_part(served, published_text())
