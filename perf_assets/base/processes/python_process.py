"""A process of ours that runs Python at the other end of a socket."""

import atexit
import socket
import subprocess
import sys
from weakref import WeakSet

# It imports from where this process does (-I: from nowhere else). The folder it is started in may
# hold anything: no file of a checked project is to be run as a module of Python.
PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from {module} import {function}; {function}({descriptor})"
)


_started: "WeakSet[subprocess.Popen[bytes]]" = WeakSet()


@atexit.register
def end_started() -> None:
    """End all that were started: one may be importing still, and not know that it is alone."""
    for process in tuple(_started):
        process.kill()
        process.wait()


def start(module: str, function: str = "main") -> tuple["subprocess.Popen[bytes]", socket.socket]:
    """Start a process that calls ``function`` of ``module`` with the descriptor of its socket.

    Returns
    -------
    The process, and our end of the socket. Ctrl-C of a terminal does not reach the process; it is
    to end when the socket is closed.

    Raises
    ------
    OSError
        No process can be started.
    """
    ours, theirs = socket.socketpair()
    path = [entry for entry in sys.path if entry]
    program = PROGRAM.format(
        path=path, module=module, function=function, descriptor=theirs.fileno()
    )
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-W", "ignore", "-c", program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,
        )
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    _started.add(process)
    return process, ours
