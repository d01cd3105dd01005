"""The processes of the UI: code server, web server and daemon, started and watched together.

Dagster's own command for this is deprecated, and `dg dev`, which replaces it, runs the same
code: it starts one after the other. Here code server and web server start side by side, as each
takes seconds to import, and the daemon when there is a page to look at.
"""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.base.processes import child
from perf_assets.base.processes.child import Child
from perf_assets.dagster_app.settings import LOCATION

HOST = "127.0.0.1"
AWAITED = "PERF_ASSETS_CODE_SOCKET"  # names the code server that starts and ends with the others
OPENED = "PERF_ASSETS_OPENED"  # since when runs are of this UI, for the daemon
RETRY_SECONDS = 0.05
WATCH_SECONDS = 0.5
OUTPUT_SECONDS = 2.0  # until the last output of a service that ended is passed on
ANSWER_SECONDS = 10.0
OPENING_SECONDS = 300.0  # a busy machine takes some twenty


def silence_code_server_warnings() -> None:
    """Say nothing while it is not there yet or no more; what is wrong for longer the page shows."""
    if AWAITED in os.environ:
        warnings.filterwarnings("ignore", message="Error loading repository location")


@dataclass
class Services:
    """The processes of one UI.

    directory : where their socket and their workspace file are; nothing else is.
    surroundings : their environment: data directory, study, and where Dagster keeps its record.
    handle : an open file that each of them keeps open, so that it is locked while one lives.
    """

    directory: Path
    port: int
    surroundings: Mapping[str, str]
    handle: int
    processes: dict[str, Child] = field(default_factory=dict)
    _forwarders: dict[str, threading.Thread] = field(default_factory=dict)

    def open(self) -> None:
        """Start code server and web server."""
        server = {"socket": str(self._socket), "location_name": LOCATION}
        workspace = json.dumps({"load_from": [{"grpc_server": server}]})
        write_file(self._workspace, workspace, is_durable=False)
        code = ["dagster", "code-server", "start", "-m", LOCATION, "--socket", str(self._socket)]
        self._start("code server", code)
        self.surroundings = {**self.surroundings, OPENED: str(time.time())}
        address = ["--host", HOST, "--port", str(self.port), "-w", str(self._workspace)]
        level = ["--dagster-log-level", "warning"]
        self._start("web server", ["perf_assets.web.server", *address, *level])

    def wait_for_the_page(self) -> None:
        """Return when the web server answers; the definitions may still be loaded.

        Raises
        ------
        PerfAssetsError
            One of the processes ended instead, or it takes too long.
        """
        self._wait_for_an_answer("server_info", None, "web server has not answered")

    def watch(self) -> None:
        """Start the daemon when the definitions are loaded; stay until a process ends by itself.

        Raises
        ------
        PerfAssetsError
            One did.
        """
        # Questions of GraphQL are answered when they are loaded.
        late = "code server has not loaded the definitions"
        self._wait_for_an_answer("graphql", b'{"query": "{version}"}', late)
        self._start("daemon", ["perf_assets.web.daemon", "run", "-w", str(self._workspace)])
        while True:
            self._check()
            time.sleep(WATCH_SECONDS)

    @property
    def _socket(self) -> Path:
        return self.directory / "code"

    @property
    def _workspace(self) -> Path:
        return self.directory / "workspace.yaml"

    def _start(self, name: str, module: list[str]) -> None:
        form = [] if sys.stderr.isatty() else ["--log-format", "json"]
        if name != "web server":
            form += ["--log-level", "warning"]
        process = self.processes[name] = child.start(
            [sys.executable, "-m", *module, *form],
            env={**self.surroundings, AWAITED: str(self._socket)},
            stderr=child.PIPE,
            pass_fds=[self.handle],
            apart="session",  # Ctrl-C is for us, who end them
        )
        self._forwarders[name] = child.forward(process)

    def _wait_for_an_answer(self, page: str, data: bytes | None, late: str) -> None:
        question = urllib.request.Request(
            f"http://{HOST}:{self.port}/{page}",
            data=data,
            headers={"content-type": "application/json"},
        )
        until = time.monotonic() + OPENING_SECONDS
        while time.monotonic() < until:
            self._check()
            with suppress(urllib.error.URLError, TimeoutError):
                urllib.request.urlopen(question, timeout=ANSWER_SECONDS).close()
                return
            time.sleep(RETRY_SECONDS)
        raise PerfAssetsError(
            f"Dagster's {late} in {OPENING_SECONDS:g} s: end other programs and open the UI again; "
            "if that does not help, run perf-assets doctor"
        )

    def _check(self) -> None:
        for name, process in self.processes.items():
            if (code := process.poll()) is not None:
                self._forwarders[name].join(OUTPUT_SECONDS)
                raise PerfAssetsError(
                    f"Dagster's {name} ended by itself (exit code {code}); its output stands "
                    "above: open the UI again, and if that does not help, run perf-assets doctor"
                )
