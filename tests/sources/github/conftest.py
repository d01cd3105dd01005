"""What the tests of the GitHub source share."""

import pytest
from graphql import GraphQLSchema, extend_schema, parse

from perf_assets.stand_ins.github.graphql_api import ADDITIONS
from tests.published_schema import UnavailableError, published_schema


@pytest.fixture(scope="session")
def published() -> GraphQLSchema:
    """GitHub's published schema, and what the loopback server serves beyond it."""
    try:
        return extend_schema(published_schema(), parse(ADDITIONS), assume_valid=True)
    except UnavailableError as error:
        pytest.skip(str(error))
