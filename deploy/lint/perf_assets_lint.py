"""The program: what ``perf-assets-lint`` and ``python -m perf_assets_lint`` start."""

from __future__ import annotations

from perf_assets.cli.lint import lint
from perf_assets.cli.process import finish


def main() -> None:
    """Run the command; Ctrl-C ends it with one sentence."""
    finish(lint)


if __name__ == "__main__":
    main()
