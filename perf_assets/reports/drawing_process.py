"""Drawing with Vega-Lite, in a process of its own where a report is about to be written.

A browser's engine is behind it, which takes half a second to start and seconds to put together the
script that draws in a reader's browser; in both nothing else of a Python process goes on.
"""

import select
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from threading import Lock

from perf_assets.base.processes.python_process import PythonProcess, receive, send

_SCRIPT = "script"
_SMALLEST = '{"data": {"values": [{}]}, "mark": "point"}'
PAUSE_SECONDS = 0.2
_lock = Lock()
_line = ThreadPoolExecutor(1, "drawing")
_begun: "dict[str, Future[str | None]]" = {}
_started: list[PythonProcess] = []


@cache
def prepare() -> None:
    """Start the process that draws; without it drawing is done here."""
    with suppress(OSError):
        _started.append(PythonProcess(__name__, serve.__name__))


@cache
def drawing_script() -> str:
    """Return the script, which sets ``window.vegaEmbed``."""
    return _request(_SCRIPT) or _script()


def begin(chart: str) -> None:
    """Have a chart drawn by the process, where there is one, before it is requested."""
    if _started and chart not in _begun:
        _begun[chart] = _line.submit(_request, chart)


def svg(chart: str) -> str:
    """Return a chart, given as JSON of Vega-Lite, as an SVG element."""
    begun = _begun.pop(chart, None)
    return (_request(chart) if begun is None else begun.result()) or _svg(chart)


def png(chart: str) -> bytes:
    """Return a chart, given as JSON of Vega-Lite, as a picture of twice its pixels."""
    import vl_convert  # noqa: PLC0415

    return bytes(vl_convert.vegalite_to_png(chart, scale=2))


def _request(what: str) -> str | None:
    """Return what the other process answers; nothing where there is none, or it was lost."""
    with _lock:
        if not _started:
            return None
        try:
            return str(_started[0].request(what))
        except (OSError, EOFError):
            _started.pop().end()
            return None


# ---- the other end


def serve(descriptor: int) -> None:
    """Draw for the process at the other end of the socket, until that is gone."""
    # A chart that fails here is drawn again by its caller, who reports why it cannot be.
    with socket.socket(fileno=descriptor) as line, suppress(Exception):
        _svg(_SMALLEST)  # starts the engine
        while True:
            what = str(receive(line))
            send(line, _script() if what == _SCRIPT else _svg(what))
            if not select.select([line], [], [], PAUSE_SECONDS)[0]:
                _script()  # the report comes after the pictures


@cache
def _script() -> str:
    # Few of those who read reports draw them.
    import vl_convert  # noqa: PLC0415

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _svg(chart: str) -> str:
    import vl_convert  # noqa: PLC0415

    return str(vl_convert.vegalite_to_svg(chart))
