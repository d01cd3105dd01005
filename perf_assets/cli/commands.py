"""The commands of perf-assets. Each is imported when it is used: a check is over sooner."""

from collections.abc import Iterable
from importlib import import_module
from typing import cast

import click

from perf_assets import __version__

# Where each command is; a dash in its name is an underscore there.
MODULES = {
    "run": "run",
    "alerts": "alerts",
    "work": "work",
    "doctor": "doctor",
    "replicate": "replicate",
    "lint": "lint",
    "review": "review",
    "site": "published",
    "status": "run",
    "archive": "archive",
    "check-archive": "archive",
    "compare": "archive",
    "backup": "backup",
    "restore": "backup",
    "lake": "lake",
    "forget": "forget",
    "report": "published",
    "query": "query",
    "regressions": "regressions",
    "describe": "published",
    "export": "published",
    "export-dbt": "published",
    "docs": "published",
    "ui": "ui",
    "explore": "published",
    "mcp": "mcp",
    "mock-api": "corpora",
    "generate-sample": "corpora",
}
HYPHEN = "\ue000"  # at which no line is broken


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(MODULES)

    def get_command(self, context: click.Context, name: str) -> click.Command:
        """Return the command of a name; UsageError with the nearest name where there is none."""
        if name not in MODULES:
            from perf_assets.base.config_files import nearest

            words = f"No such command {name!r}: {nearest(name, sorted(MODULES))}"
            raise click.UsageError(words, context)
        module = import_module(f"perf_assets.cli.{MODULES[name]}")
        command = cast(click.Command, getattr(module, name.replace("-", "_")))
        listed = command.commands.values() if isinstance(command, click.Group) else ()
        for each in (command, *listed):  # a list of commands has whole sentences
            each.short_help = (each.help or "").partition("\n\n")[0]
        return command


class Formatter(click.HelpFormatter):
    """Help whose lines do not end within a name such as dl-frameworks."""

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write options or commands, each with its description."""
        super().write_dl(
            [(term, text.replace("-", HYPHEN)) for term, text in rows], col_max, col_spacing
        )

    def getvalue(self) -> str:
        """Return the help."""
        return super().getvalue().replace(HYPHEN, "-")


click.Context.formatter_class = Formatter


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def commands() -> None:
    """Measure how much of a project's trouble is performance trouble, month by month.

    perf-assets mines the issues and commits of GitHub repositories into DuckDB, labels the
    performance bugs, links the commits that fixed them, and keeps the statistics up to date.

    \b
    Start with the embedded sample, no token needed:
        perf-assets run

    \b
    Find performance problems in code that uses the frameworks:
        perf-assets lint PATH
    """
