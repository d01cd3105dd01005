"""The command line of perf-assets: a file for each group of commands, which commands.py lists."""

from __future__ import annotations

import logging

from perf_assets.cli.process import finish


def main() -> None:
    """Run the program ``perf-assets``."""
    logging.raiseExceptions = False  # a line that nobody reads any more is not a mistake
    finish(_command)


def _command() -> None:
    # It takes a third of a second to import, and Ctrl-C ends the program in that time too.
    from perf_assets.cli.commands import commands

    commands()
