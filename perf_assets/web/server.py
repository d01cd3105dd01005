"""Dagster's own web server behind the guard: ``python -m perf_assets.web.server``."""

import asyncio
import os
import threading
import time
from pathlib import Path
from typing import Any

from dagster_webserver import app, cli
from starlette.types import ASGIApp, Receive, Scope, Send

from perf_assets.dagster_app.dagster_internals import WorkspaceProcessContext
from perf_assets.web.guard import Guard, answered_names
from perf_assets.web.services import AWAITED, silence_code_server_warnings

CREATE = "create_app_from_workspace_process_context"  # as cli.py calls it
NAMES = "PERF_ASSETS_UI_NAMES"  # under which a reverse proxy that requires a password shows it
CHECK_SECONDS = 0.02


class Patient:
    """An ASGI application that lets requests wait until what they need is loaded.

    A browser takes a second for the page itself: so it has it while the code server still starts.
    """

    def __init__(self, app: ASGIApp, loaded: threading.Event) -> None:
        """Let ``app`` answer GraphQL requests when ``loaded`` is set."""
        self._app = app
        self._loaded = loaded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        while scope.get("path") == "/graphql" and not self._loaded.is_set():
            await asyncio.sleep(CHECK_SECONDS)
        await self._app(scope, receive, send)


def _guarded(context: WorkspaceProcessContext, *arguments: Any, **options: Any) -> Guard:  # noqa: ANN401
    dagster: ASGIApp = app.create_app_from_workspace_process_context(context, *arguments, **options)
    names = answered_names(os.environ.get(NAMES, ""))
    if AWAITED not in os.environ:
        return Guard(dagster, names)
    loaded = threading.Event()

    def load() -> None:
        socket = Path(os.environ[AWAITED])
        while not socket.exists():
            time.sleep(CHECK_SECONDS)
        context.refresh_workspace()
        loaded.set()

    threading.Thread(target=load, daemon=True).start()
    return Guard(Patient(dagster, loaded), names)


if __name__ == "__main__":
    setattr(cli, CREATE, _guarded)
    silence_code_server_warnings()
    cli.main()  # type: ignore[no-untyped-call]
