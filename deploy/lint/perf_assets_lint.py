"""The program: what ``perf-assets-lint`` and ``python -m perf_assets_lint`` start."""

from __future__ import annotations

from perf_assets.cli.lint import lint
from perf_assets.cli.process import finish


def main(name: str = "perf-assets-lint") -> None:
    """Run the command under a name, which its help shows; Ctrl-C ends it with one sentence."""
    finish(lambda: lint(prog_name=name))


if __name__ == "__main__":
    main("python -m perf_assets_lint")
