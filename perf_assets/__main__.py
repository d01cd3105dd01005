"""The program: what ``perf-assets`` and ``python -m perf_assets`` start."""

import os
import signal
import sys
from types import FrameType

# As base/processes/shutdown.py says it, which is not imported yet.
UNTOUCHED = b"Stopped: nothing was changed; the same command starts again\n"


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported is one sentence too."""
    _open_closed_streams()
    signal.signal(signal.SIGTERM, _stop)
    for number in (signal.SIGINT, signal.SIGHUP):
        # A shell lets what it starts in the background ignore Ctrl-C, nohup ignores SIGHUP: so it
        # stays.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)

    from perf_assets.cli import main as program  # noqa: PLC0415

    program()


def _open_closed_streams() -> None:
    """Lead closed standard streams nowhere, or the next file that is opened would get their
    descriptors.

    What is printed would be written into it then.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


def _stop(number: int, _: FrameType | None) -> None:
    os.write(2, UNTOUCHED)
    os._exit(128 + number)


if __name__ == "__main__":
    main()
