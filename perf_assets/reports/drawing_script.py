"""The script that draws Vega-Lite in a browser.

Making it takes seconds in which nothing else of a Python process goes on, so that another one does.
"""

import socket
import subprocess
from functools import cache

from perf_assets.processes import python_process
from perf_assets.processes.idle import ended_when_idle
from perf_assets.processes.messages import receive, send


@cache
def prepare() -> "tuple[subprocess.Popen[bytes], socket.socket] | None":
    """Start making it, for whoever will write a report soon."""
    try:
        return python_process.start(__name__, send_script.__name__)
    except OSError:  # it is made here, then
        return None


@cache
def drawing_script() -> str:
    """The script, which sets ``window.vegaEmbed``."""
    started = prepare()
    if started is None:
        return _made()
    process, line = started
    with process, line, ended_when_idle(process):
        try:
            return str(receive(line))
        except EOFError:
            return _made()


def send_script(descriptor: int) -> None:
    """Make it for the process at the other end of the socket."""
    with socket.socket(fileno=descriptor) as line:
        send(line, _made())


def _made() -> str:
    # Few of those who read reports draw them.
    import vl_convert  # noqa: PLC0415

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
