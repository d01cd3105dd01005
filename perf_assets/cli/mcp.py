"""mcp: named queries of the published database for assistants."""

import os
import re
import secrets
import sys
from pathlib import Path

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.cli.ports import HOST, check_free, port_option
from perf_assets.cli.shell import data_dir_option, friendly_errors
from perf_assets.config.data_directory import DataDirectory

TOKEN = "PERF_ASSETS_MCP_TOKEN"
SHORTEST_TOKEN = 20


@click.command()
@click.option("--http", "is_http", is_flag=True, help="Serve HTTP on loopback instead of stdio.")
@port_option(3003)
@data_dir_option
@friendly_errors
def mcp(data_dir: Path, port: int, *, is_http: bool) -> None:
    """Let an assistant ask named queries of the published database (Model Context Protocol).

    The assistant starts this command, and talks with it over standard input and output. It can run
    the queries of the cookbook, and read what tables mean, what is known about a bug report, and
    what happened in a month; it cannot run SQL, write, or read other files. With --http programs of
    this machine that have the token can ask too: the token is that of PERF_ASSETS_MCP_TOKEN, or is
    printed.

    \b
    Examples:
        perf-assets mcp --data-dir data
        perf-assets mcp --http
    """
    try:
        from perf_assets.web.mcp.server import Server, application
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise PerfAssetsError(
            "mcp needs the SDK of the protocol, which is not installed: "
            "pip install 'perf-assets[mcp]'"
        ) from None
    database = DataDirectory(data_dir).published
    shutdown.set_resume_hint("assistants cannot ask any more; nothing was changed")
    server = Server(database)
    if not is_http:
        if sys.stdin.isatty():
            click.echo("Waiting for an assistant on standard input (Ctrl-C stops it)", err=True)
        server.run("stdio")
        return
    token = _token()
    check_free(port)
    from perf_assets.web.explore import serve

    def on_ready() -> None:
        click.echo(f"MCP: http://{HOST}:{port}/mcp (Ctrl-C stops it)")
        if TOKEN not in os.environ:
            click.echo(f"Authorization: Bearer {token}")

    serve(application(server, token), HOST, port, on_ready)


def _token() -> str:
    """Return the token of the environment, or a new one where a person can read it."""
    given = os.environ.get(TOKEN)
    if given is None and not sys.stdout.isatty():
        raise PerfAssetsError(
            f"{TOKEN} is not set, and a new token is printed to a terminal alone, as a log may be "
            f"read by others: set {TOKEN}"
        )
    token = secrets.token_urlsafe(24) if given is None else given
    if re.fullmatch(r"[!-~]+", token) is None or len(token) < SHORTEST_TOKEN:
        raise PerfAssetsError(
            f"{TOKEN}: a token has {SHORTEST_TOKEN} or more letters and digits, without blanks"
        )
    return token
