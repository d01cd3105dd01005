"""Importing a library without what it takes along only where that is installed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

_one_at_a_time = RLock()


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Import as if ``packages`` were not installed, but for those that are imported already.

    No other thread would find them meanwhile: what may import one of them does so in such a block
    too, which waits for the others.
    """
    with _one_at_a_time:
        hidden = [package for package in packages if package not in sys.modules]
        sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
        try:
            yield
        finally:
            for package in hidden:
                del sys.modules[package]
