"""Importing, beside the first new rows, what they are judged and labelled with."""

from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Thread

from perf_assets.storage.great_expectations import prepare

LIBRARIES = ("nltk.stem.porter",)


@cache
def preload() -> None:
    """Begin to import the libraries that new rows need, which takes seconds.

    Call it once it is known that there are new rows: a thread imports while this one waits for git
    or the network. Without it they are imported when they are used.
    """
    Thread(target=_import, name="imports", daemon=True).start()


def _import() -> None:
    with suppress(Exception):  # who uses them meets the same, and says so
        prepare()
        for library in LIBRARIES:
            import_module(library)
