"""A session of Spark through Spark Connect: each failure is one sentence, and none lasts long."""

import logging
import os
import re
import socket
import sys
import urllib.parse
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.errors.messages import explained
from perf_assets.base.retry import RetryPolicy

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.connect.session import SparkSession

TOKEN = "PERF_ASSETS_SPARK_TOKEN"
DEFAULT_PORT = 15002
OLDEST = (4, 0)
REACH_SECONDS = 5.0
REACH = RetryPolicy(attempts=3, first_pause=1.0, longest_pause=1.0)
# Of the client's 15 retries the last ones wait for a minute each.
RETRIES = 5
RETRY_MILLISECONDS = 2000
# What a message may hold is 128 MiB.
MESSAGE_BYTES = 32 << 20
BATCH_ROWS = 1 << 16
SETTINGS = {"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "true"}
GONE = re.compile(
    r"UNAVAILABLE|RetriesExceeded|RETRIES_EXCEEDED|INVALID_HANDLE|SESSION_(NOT_FOUND|CLOSED|CHANGED)"
    r"|failed to connect|Connection re(set|fused)|Socket closed|DEADLINE_EXCEEDED|CANCELLED"
    r"|not found in session|SparkContext (was|is) shut ?down"
    r"|Job aborted(?:(?!Job aborted).)*?[Ee]xecutor",
)


class Connection:
    """A session of the Spark at an address."""

    def __init__(self, url: str) -> None:
        """Connect to ``url``, ``sc://host:port``.

        A token is read from the environment, ``PERF_ASSETS_SPARK_TOKEN``; with one the way to the
        server is encrypted.

        Raises
        ------
        TransientError
            Nothing answers there.
        PerfAssetsError
            The client is not installed, the address is none, or what answers is too old.
        """
        self.url = url
        host, port = _address(url)
        _reach(url, host, port)
        with self._friendly_errors("the session"):
            self._session = _new_session(f"sc://{host}:{port}")
            version = str(self._session.version)
            for name, value in SETTINGS.items():
                self._session.conf.set(name, value)
        if _number(version) < OLDEST:
            raise PerfAssetsError(
                f"{url} is Spark {version}, and the models need Spark "
                f"{'.'.join(map(str, OLDEST))} or newer: name another one as spark of [lake]"
            )

    def lay(self, view: str, query: str) -> None:
        """Make ``query``, in Spark's words, a temporary view."""
        with self._friendly_errors(view):
            self._session.sql(query).createOrReplaceTempView(view)

    def lay_files(self, view: str, files: Sequence[str], columns: str) -> None:
        """Make the rows of Parquet ``files`` a temporary view; ``columns`` as in a schema."""
        if not files:
            self._lay_frames(view, [], columns)
            return
        with self._friendly_errors(view):
            self._session.read.schema(columns).parquet(*files).createOrReplaceTempView(view)

    def lay_rows(self, view: str, rows: "pa.Table", columns: str) -> None:
        """Send ``rows`` and make them a temporary view; ``columns`` as in a schema."""
        share = max(1, rows.num_rows * MESSAGE_BYTES // max(rows.nbytes, 1))
        starts = range(0, rows.num_rows, share)
        self._lay_frames(view, [rows.slice(start, share) for start in starts], columns)

    def write(self, query: str, folder: str, what: str) -> None:
        """Write the answer to ``query`` as Parquet files, alone in ``folder``."""
        with self._friendly_errors(what):
            self._session.sql(query).write.mode("overwrite").parquet(folder)

    def stream(self, query: str, what: str) -> "Iterator[pa.Table]":
        """Return the answer to ``query``, piece by piece as Spark sends it."""
        import pyarrow as pa  # noqa: PLC0415 - comes with the extra

        with self._friendly_errors(what):
            client = self._session.client
            frame = self._session.sql(query)
            pieces: list[Any] = []
            # As toLocalIterator reads, which makes an object of each row.
            for piece in client.to_table_as_iterator(frame._plan.to_proto(client), {}):
                if isinstance(piece, pa.Table):
                    pieces.append(piece)
                if sum(piece.num_rows for piece in pieces) >= BATCH_ROWS:
                    yield pa.concat_tables(pieces).combine_chunks()
                    pieces = []
            if pieces:
                yield pa.concat_tables(pieces).combine_chunks()

    def table(self, query: str, what: str) -> "pa.Table":
        """Return the whole answer to ``query``."""
        with self._friendly_errors(what):
            return self._session.sql(query).toArrow()

    def close(self) -> None:
        """End the session; one that is gone is ended."""
        with self._friendly_errors("the session"):
            self._session.stop()

    def _lay_frames(self, view: str, parts: "Sequence[pa.Table]", columns: str) -> None:
        with self._friendly_errors(view):
            frames = [self._session.createDataFrame(part, columns) for part in parts]
            whole = frames[0] if frames else self._session.createDataFrame([], columns)
            for frame in frames[1:]:
                whole = whole.unionAll(frame)
            whole.createOrReplaceTempView(view)

    def _friendly_errors(self, what: str) -> AbstractContextManager[None]:
        disable_pyspark_worker_mode()
        import grpc  # noqa: PLC0415 - comes with the extra
        from pyspark.errors import PySparkException  # noqa: PLC0415

        message = partial(_sentence, self.url, what)
        return explained(message, PySparkException, grpc.RpcError, OSError)


def _sentence(url: str, what: str, error: Exception) -> PerfAssetsError:
    text = f"{type(error).__name__} {error}"
    if GONE.search(text):
        return TransientError(
            f"Spark at {url} went away at {what.replace('__', '.')}: see that it runs, and run "
            "again; what was stored is kept"
        )
    first = " ".join(str(error).split())[:400]
    return PerfAssetsError(
        f"Spark at {url} could not compute {what.replace('__', '.')}: {first}; see its log, or "
        'choose engine = "duckdb" in [lake]'
    )


def _address(url: str) -> tuple[str, int]:
    parts = urllib.parse.urlsplit(url)
    try:
        host, port = parts.hostname, parts.port or DEFAULT_PORT
    except ValueError:
        host = None
    if parts.scheme != "sc" or not host or parts.path.strip("/") or parts.username:
        raise PerfAssetsError(
            f"spark of [lake] is not an address of a Spark Connect server: write sc://host:port, "
            f"and a token into the environment, {TOKEN}"
        )
    return (f"[{host}]" if ":" in host else host), port


def _reach(url: str, host: str, port: int) -> None:
    """Wait for somebody to answer there: the client would do so for ten minutes."""
    for is_last in REACH.tries():
        try:
            socket.create_connection((host.strip("[]"), port), REACH_SECONDS).close()
            return
        except OSError as error:
            if is_last:
                raise TransientError(
                    f"Spark at {url} does not answer ({error.strerror or error}): start its "
                    "Connect server, or name another one as spark of [lake]"
                ) from None


def disable_pyspark_worker_mode() -> None:
    """Have Spark's client take this process for a program, before it is imported.

    One without a main file, as a worker of another program is, it takes for a test of its own, and
    ends it.
    """
    main = sys.modules["__main__"]
    if main.__spec__ is None and not hasattr(main, "__file__"):
        main.__spec__ = ModuleSpec("__main__", None)


def _new_session(url: str) -> "SparkSession":
    disable_pyspark_worker_mode()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of pandas 3, of which nothing is used
            from pyspark.sql.connect.client import DefaultChannelBuilder  # noqa: PLC0415
            from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415
            from pyspark.sql.connect.session import SparkSession as Session  # noqa: PLC0415
    except ImportError as error:
        raise PerfAssetsError(
            f'engine = "spark" needs more than is installed ({error.name}): '
            'pip install "perf-assets[spark]"'
        ) from None
    # The client warns of each failure, or logs it with a traceback, and then raises it.
    warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")
    logging.getLogger("pyspark.sql.connect.client.logging").setLevel(logging.CRITICAL)
    builder = DefaultChannelBuilder(url)
    if token := os.environ.get(TOKEN):
        builder.set("token", token)
    session = Session.builder.channelBuilder(builder).create()
    policy = DefaultPolicy(max_retries=RETRIES, max_backoff=RETRY_MILLISECONDS)
    session.client.set_retry_policies([policy])
    return session


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
