"""Whatever is wrong with a Spark, a person is told so in one sentence, and soon."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.engines.connection import TOKEN, Connection
from perf_assets.engines.spark import SparkEngine
from tests.engines.servers import sail
from tests.ports import free_port

pytest.importorskip("pyspark", reason="pyspark-client is not installed: pip install .[spark]")


def of_version(version: str) -> Iterator[str]:
    """A server that only tells its version, and takes every setting."""
    import grpc  # noqa: PLC0415
    from pyspark.sql.connect.proto import base_pb2, base_pb2_grpc  # noqa: PLC0415

    class Server(base_pb2_grpc.SparkConnectServiceServicer):
        def AnalyzePlan(self, request, context):  # noqa: N802
            return base_pb2.AnalyzePlanResponse(
                session_id=request.session_id,
                spark_version=base_pb2.AnalyzePlanResponse.SparkVersion(version=version),
            )

        def Config(self, request, context):  # noqa: N802
            return base_pb2.ConfigResponse(session_id=request.session_id)

    server = grpc.server(ThreadPoolExecutor(2))
    base_pb2_grpc.add_SparkConnectServiceServicer_to_server(Server(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.stop(0)


old_spark = pytest.fixture(lambda: (yield from of_version("3.5.1")))


@pytest.mark.parametrize(
    "address",
    ["http://host:15002", "sc://", "sc://host:many", "sc://me@host:1", "sc://host:1/path", ""],
)
def test_what_is_not_an_address_is_refused(address: str) -> None:
    with pytest.raises(PerfAssetsError, match=r"write sc://host:port.*PERF_ASSETS_SPARK_TOKEN"):
        SparkEngine(address)


@pytest.mark.slow
def test_where_nothing_listens_that_is_said_soon() -> None:
    url = f"sc://127.0.0.1:{free_port()}"
    begun = time.monotonic()
    with pytest.raises(TransientError, match=f"Spark at {url} does not answer"):
        SparkEngine(url)
    assert time.monotonic() - begun < 60


def test_a_spark_that_is_too_old_is_reported_by_its_version(old_spark: str) -> None:
    with pytest.raises(PerfAssetsError, match=r"is Spark 3\.5\.1, and the models need Spark 4\.0"):
        SparkEngine(old_spark)


@pytest.mark.exhaustive
def test_a_spark_that_goes_away_is_a_passing_error() -> None:
    pytest.importorskip("pysail", reason="pysail, the engine of these tests, is not installed")
    with sail() as server:
        connection = Connection(server.url)
        assert connection.table("SELECT 1 AS one", "a query").to_pylist() == [{"one": 1}]
        server.process.kill()
        server.process.wait()
        begun = time.monotonic()
        with pytest.raises(
            TransientError, match=f"Spark at {server.url} went away at staging.issues"
        ):
            connection.table("SELECT 1 AS one", "staging__issues")
        assert time.monotonic() - begun < 30
        connection.close()


def test_what_spark_cannot_compute_is_one_sentence(sail_url: str) -> None:
    connection = Connection(sail_url)
    with pytest.raises(PerfAssetsError, match="could not compute a query") as caught:
        connection.table("SELECT nothing FROM nowhere", "a query")
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, TransientError)
    connection.close()


@pytest.mark.exhaustive
def test_a_token_shows_nowhere(monkeypatch: pytest.MonkeyPatch, sail_url: str) -> None:
    """A token is sent on an encrypted way alone, which this server does not offer."""
    monkeypatch.setenv(TOKEN, "a-secret-of-somebody")
    with pytest.raises(PerfAssetsError) as caught:
        Connection(sail_url)
    assert "a-secret" not in str(caught.value)
