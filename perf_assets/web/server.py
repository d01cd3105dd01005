"""Dagster's own web server behind the guard: ``python -m perf_assets.web.server``."""

from typing import Any

from dagster_webserver import app, cli

from perf_assets.web.guard import Guard

CREATE = "create_app_from_workspace_process_context"  # as cli.py calls it


def _guarded(*arguments: Any, **options: Any) -> Guard:  # noqa: ANN401
    return Guard(app.create_app_from_workspace_process_context(*arguments, **options))


if __name__ == "__main__":
    setattr(cli, CREATE, _guarded)
    cli.main()  # type: ignore[no-untyped-call]
