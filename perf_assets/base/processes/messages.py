"""Objects through a socket between two processes of ours: each as its length and its pickle."""

import pickle
import socket
import struct

_LENGTH = struct.Struct("!Q")


def send(to: socket.socket, value: object) -> None:
    """Send an object.

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
