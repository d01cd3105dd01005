"""Preparing, beside the first new rows, what they are audited and labelled with."""

from contextlib import suppress
from functools import cache
from threading import Thread

from perf_assets.core.libraries import porter_stemmer
from perf_assets.storage.audit.process import prepare


@cache
def preload() -> None:
    """Begin to import the libraries that new rows need, which takes seconds.

    Call it as soon as there are new rows to store: the process that validates them, and a thread,
    import while this one waits for git or the network. Without it that is done when they are used.
    """
    Thread(target=_import, name="imports", daemon=True).start()


def _import() -> None:
    with suppress(Exception):  # who uses them meets the same, and says so
        prepare()
        porter_stemmer()
