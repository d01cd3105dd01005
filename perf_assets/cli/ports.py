"""Ports of this machine on which a command opens a page."""

import socket
from collections.abc import Callable
from typing import TypeVar

import click

from perf_assets.base.errors import PerfAssetsError

Command = TypeVar("Command", bound=Callable[..., None])

HOST = "127.0.0.1"


def port_option(default: int) -> Callable[[Command], Command]:
    """Return the option of the port."""
    return click.option(
        "--port",
        type=click.IntRange(1, 65535),
        default=default,
        show_default=True,
        help=f"Port on {HOST}.",
    )


def check_free(port: int) -> None:
    """Return where ``port`` can be listened on.

    Raises
    ------
    PerfAssetsError
        Another program does, or this account may not.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = "may not be used" if isinstance(error, PermissionError) else "is taken"
            raise PerfAssetsError(
                f"port {port} of {HOST} {reason}: choose another one with --port"
            ) from None
