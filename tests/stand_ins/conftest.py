"""The loopback GitHub that the tests of one file share."""

import pytest

from perf_assets.stand_ins.github.server import CorpusServer
from tests.stand_ins.tracker import MANY, RICH


@pytest.fixture(scope="module")
def server():
    with CorpusServer([RICH, MANY], limit=10**6) as running:
        yield running


@pytest.fixture(scope="module")
def blank():
    """A server whose corpus a property replaces example by example."""
    with CorpusServer([], limit=10**9) as running:
        yield running
