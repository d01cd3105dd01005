"""The commands of perf-assets. Each is imported when it is used: a check is over sooner."""

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
    "site": "site",
    "status": "run",
    "archive": "archive",
    "check-archive": "archive",
    "compare": "compare",
    "backup": "backup",
    "restore": "backup",
    "lake": "lake",
    "forget": "forget",
    "report": "report",
    "query": "query",
    "describe": "describe",
    "export": "export",
    "docs": "docs",
    "ui": "ui",
    "explore": "explore",
    "mock-api": "corpora",
    "generate-sample": "corpora",
}
# What commands and options were called; the old names still work, and no help lists them.
FORMER_COMMANDS = {
    "agreement": "review agreement",
    "check": "lint",
    "generate": "generate-sample",
    "import-review": "review import",
    "sample-for-review": "review sample",
    "serve-corpus": "mock-api",
    "tables": "describe",
}
FORMER_OPTIONS = {
    "home": "data-dir",
    "verify": "reconcile",
    "details": "fix-analysis",  # of --until
}


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(MODULES)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """The command of a name, or of a former one; None where there is none."""
        group, *rest = FORMER_COMMANDS.get(name, name).split()
        if group not in MODULES:
            return None
        module = import_module(f"perf_assets.cli.{MODULES[group]}")
        command = getattr(module, group.replace("-", "_"))
        return cast(click.Command, command.commands[rest[0]] if rest else command)


@click.group(
    cls=Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda word: FORMER_OPTIONS.get(word, word),
    },
)
@click.version_option(__version__)
def commands() -> None:
    """How much of a project's trouble is performance trouble, month by month.

    perf-assets mines the issues and commits of GitHub repositories into DuckDB, labels the
    performance bugs, links the commits that fixed them, and keeps the statistics up to date.

    \b
    Start with the embedded sample, no token needed:
        perf-assets run

    \b
    Find performance problems in code that uses the frameworks:
        perf-assets lint PATH
    """
