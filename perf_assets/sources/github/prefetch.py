"""Reading ahead: pieces of work done by a few threads, their results taken in order."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

SEARCH_LIMIT = 1000  # https://docs.github.com/rest/search: a search returns no more


@dataclass(frozen=True)
class Job(Generic[T]):
    """Work in parts that belong together, and how many issues all of it reads."""

    weight: int
    parts: Sequence[Callable[[], T]]


def in_order(jobs: Iterable[Job[T]], workers: int, capacity: int) -> Generator[list[T], None, None]:
    """Yield the results of each job's parts, job after job, while later jobs are being done.

    Jobs are begun while those not yet given back and done with weigh no more than ``capacity``
    together, and at least one always is. An error is raised in its job's turn, after the jobs
    before it. Leaving the iterator drops what has not been begun.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="github")
    rest = deque(jobs)
    begun: deque[tuple[int, list[Future[T]]]] = deque()
    try:
        while rest or begun:
            weight = sum(weight for weight, _ in begun)
            while rest and (not begun or weight + rest[0].weight <= capacity):
                job = rest.popleft()
                weight += job.weight
                begun.append((job.weight, [pool.submit(part) for part in job.parts]))
            yield [future.result() for future in begun[0][1]]
            begun.popleft()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
