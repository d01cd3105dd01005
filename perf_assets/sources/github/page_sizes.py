"""How large the pages of an operation may be."""

import threading

GROWS_AFTER = 5  # whole answers in a row


class PageSizes:
    """How many entries a page of each operation may have: fewer after faults, more after success.

    A size is halved by a fault and doubled after ``GROWS_AFTER`` whole answers in a row.
    """

    def __init__(self) -> None:
        """Start with the requested sizes."""
        self._sizes: dict[str, int] = {}
        self._whole: dict[str, int] = {}
        self._lock = threading.Lock()

    def size(self, operation: str, best: int) -> int:
        """Return the size to request where ``best`` would be best."""
        return min(best, self._sizes.get(operation, best))

    def shrink(self, operation: str, tried: int) -> None:
        """Note that a page of ``tried`` entries failed."""
        with self._lock:
            self._whole[operation] = 0
            self._sizes[operation] = max(1, min(self._sizes.get(operation, tried), tried // 2))

    def grow(self, operation: str) -> None:
        """Note that a page came whole."""
        with self._lock:
            if operation in self._sizes:
                self._whole[operation] += 1
                if self._whole[operation] >= GROWS_AFTER:
                    self._whole[operation] = 0
                    self._sizes[operation] *= 2
