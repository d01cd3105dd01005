"""The database that most tests of models fill; a file whose tests need another has its own."""

from collections.abc import Iterator

import pytest

from tests.effort import some
from tests.model_database import Build, ModelDatabase, Tables
from tests.rows import repository


@pytest.fixture(scope="module", params=some("Asia/Tokyo", "UTC"))
def shared(request: pytest.FixtureRequest) -> ModelDatabase:
    """One database for each time zone an analyst's session may have."""
    return ModelDatabase(request.param)


@pytest.fixture
def build(shared: ModelDatabase) -> Iterator[Build]:
    def fill(tables: Tables) -> ModelDatabase:
        shared.fill({"meta.repositories": [repository()], **tables})
        return shared

    yield fill
