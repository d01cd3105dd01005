"""The program: what ``perf-assets`` and ``python -m perf_assets`` start."""

import os
import signal
from types import FrameType

# As stopping.py says it, which is not imported yet.
UNTOUCHED = b"Stopped: nothing was changed; the same command starts again\n"


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported is one sentence too."""
    # A shell lets what it starts in the background ignore Ctrl-C: so it stays.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)

    from perf_assets.cli import main as program  # noqa: PLC0415

    program()


def _stop(number: int, _: FrameType | None) -> None:
    os.write(2, UNTOUCHED)
    os._exit(128 + number)


if __name__ == "__main__":
    main()
