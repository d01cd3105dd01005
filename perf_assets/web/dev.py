"""Dagster's ``dev`` command with our web server: ``python -m perf_assets.web.dev``.

It starts the code server, the daemon and the web server, and ends all when one ends.
"""

from collections.abc import Sequence
from typing import Any

from dagster._cli import dev
from dagster_shared.ipc import open_ipc_subprocess

OPEN = "open_ipc_subprocess"  # as dev.py calls it
THEIRS, OURS = "dagster_webserver", "perf_assets.web.server"


def _opened(parts: Sequence[str], **options: Any) -> Any:  # noqa: ANN401
    return open_ipc_subprocess([OURS if part == THEIRS else part for part in parts], **options)


if __name__ == "__main__":
    setattr(dev, OPEN, _opened)
    dev.dev_command()
