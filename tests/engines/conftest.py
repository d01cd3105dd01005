"""Sail, a Spark Connect server without a JVM, for the tests; Apache Spark where it is there."""

from collections.abc import Iterator

import pytest

from tests.engines.servers import sail


@pytest.fixture(scope="session")
def sail_url() -> Iterator[str]:
    pytest.importorskip("pyspark", reason="pyspark-client is not installed: pip install .[spark]")
    pytest.importorskip("pysail", reason="pysail, the engine of these tests, is not installed")
    with sail() as server:
        yield server.url
