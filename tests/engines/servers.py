"""Spark Connect servers on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def sail() -> Iterator[str]:
    """Sail in this process; its address."""
    from pysail.spark import SparkConnectServer  # noqa: PLC0415 - where it is there

    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    try:
        yield f"sc://127.0.0.1:{server.listening_address[1]}"
    finally:
        server.stop()
