"""Spark Connect servers on loopback."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.ports import free_port

START_SECONDS = 120.0
STOP_SECONDS = 20.0
PYTHON = "PERF_ASSETS_SPARK_PYTHON"
SERVE = """
from pysail.spark import SparkConnectServer
server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
print(server.listening_address[1], flush=True)
input()
"""
FIND = "import pyspark, pathlib; print(pathlib.Path(pyspark.__file__).parent)"


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    url: str
    process: "subprocess.Popen[Any]"


@contextmanager
def sail() -> Iterator[Server]:
    """Sail in a process of its own, which can be killed and measured."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield Server(f"sc://127.0.0.1:{int(server.stdout.readline())}", server)
    finally:
        server.kill()
        server.communicate()


def spark_data_dir() -> Path | None:
    """Where Apache Spark is: SPARK_HOME, or in the Python of PERF_ASSETS_SPARK_PYTHON."""
    data_dir = os.environ.get("SPARK_HOME")
    python = os.environ.get(PYTHON)
    if data_dir is None and python is not None:
        data_dir = subprocess.run(
            [python, "-c", FIND], capture_output=True, text=True, check=True, timeout=60
        ).stdout.strip()
    if data_dir is None or shutil.which("java") is None:
        return None
    return Path(data_dir) if (Path(data_dir) / "bin" / "spark-submit").exists() else None


@contextmanager
def spark(data_dir: Path, memory: str = "2g", cores: int = 2) -> Iterator[Server]:
    """Apache Spark in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        log = Path(folder) / "log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                [
                    *(data_dir / "bin" / "spark-submit", "--master", f"local[{cores}]"),
                    *("--driver-memory", memory, *_settings(Path(folder), port)),
                    *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
                    "spark-internal",
                ],
                cwd=folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "SPARK_HOME": str(data_dir), "PYSPARK_PYTHON": sys.executable},
            )
        try:
            _wait(server, port, log)
            yield Server(f"sc://127.0.0.1:{port}", server)
        finally:
            server.terminate()
            try:
                server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _settings(folder: Path, port: int) -> list[str]:
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.sql.shuffle.partitions": 8,
    }
    return [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]


def _wait(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert server.poll() is None, log.read_text(errors="replace")[-2000:]
            assert time.monotonic() < end, "Spark's Connect server did not start"
            time.sleep(0.2)
