"""What is computed of each repository by itself: on all cores, and seen while it lasts."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import polars as pl

from perf_assets.base.processes.progress import phase

MOST_THREADS = 8  # ten thousand permuted series take some hundred MB in each

T = TypeVar("T")
R = TypeVar("R")


def map_repositories(repositories: Sequence[T], compute: Callable[[T], R], title: str) -> list[R]:
    """Return what ``compute`` makes of each of ``repositories``, in their order.

    Threads are enough: NumPy lets others work while it does.
    """
    found: list[R] = []
    with (
        phase(title, len(repositories), "repositories") as done,
        ThreadPoolExecutor(min(MOST_THREADS, pl.thread_pool_size())) as pool,
    ):
        for r in pool.map(compute, repositories):
            found.append(r)
            done(len(found))
    return found
