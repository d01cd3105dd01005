"""Python processes of ours at the other end of a socket, through which pickled objects go."""

from __future__ import annotations

import atexit
import pickle
import socket
import struct
from weakref import WeakSet

from perf_assets.base.processes import child
from perf_assets.base.processes.child import Child, ended_when_idle

_LENGTH = struct.Struct("!Q")
_started: WeakSet[Child] = WeakSet()


@atexit.register
def end_started() -> None:
    """End all that were started: one may be importing still, and not notice that it is alone."""
    for process in tuple(_started):
        child.end(process)


class PythonProcess:
    """A process that calls ``function`` of ``module`` with the descriptor of its socket.

    Ctrl-C of a terminal does not reach the process; it is to end when the socket is closed.

    line : our end of the socket.
    """

    def __init__(self, module: str, function: str = "main") -> None:
        """Start it.

        Raises
        ------
        OSError
            No process can be started.
        """
        self.line, theirs = socket.socketpair()
        try:
            self.process = child.start(
                child.python(module, function, theirs.fileno()),
                stdout=child.DEVNULL,
                pass_fds=[theirs.fileno()],
                apart="group",
            )
        except OSError:
            self.line.close()
            raise
        finally:
            theirs.close()
        _started.add(self.process)

    def request(self, value: object) -> object:
        """Send an object, and return the answer; the process is ended when it is idle meanwhile.

        Raises
        ------
        OSError, EOFError
            The process is gone.
        """
        with ended_when_idle(self.process):
            send(self.line, value)
            return receive(self.line)

    def end(self) -> int:
        """End the process, where it has not ended, and return its exit code."""
        self.line.close()
        return child.end(self.process)


def send(to: socket.socket, value: object) -> None:
    """Send an object: its length, and its pickle.

    Raises
    ------
    OSError
        The other process is gone.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    to.sendall(_LENGTH.pack(len(data)))
    to.sendall(data)


def receive(sent: socket.socket) -> object:
    """Return the next object.

    Raises
    ------
    EOFError
        The other process is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(sent, _LENGTH.size))
    return pickle.loads(_exactly(sent, length))


def _exactly(sent: socket.socket, length: int) -> bytes:
    data = bytearray(length)
    view = memoryview(data)
    while view:
        try:
            count = sent.recv_into(view)
        except ConnectionError:
            count = 0
        if not count:
            raise EOFError
        view = view[count:]
    return bytes(data)
