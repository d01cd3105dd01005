"""Checks that there is enough memory for a run, before it is killed for want of it."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError

LEAST_FREE = 500 << 20  # the smallest study takes that much; docs/performance.md has larger ones
LEAST_ADDRESSES = 4 << 30  # what the libraries lay claim to, most of which they never touch
MEMINFO = Path("/proc/meminfo")
# Limit and use of the control group, as version 2 and version 1 of Linux' control groups tell them.
GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def check_memory() -> None:
    """Return where a run has the memory that the smallest study needs.

    Raises
    ------
    PerfAssetsError
        It has not: how much is needed, how much there is, and what to do.
    """
    addresses, _ = resource.getrlimit(resource.RLIMIT_AS)
    if addresses != resource.RLIM_INFINITY and addresses < LEAST_ADDRESSES:
        raise PerfAssetsError(
            f"a run needs an address space of {LEAST_ADDRESSES >> 20:,} MB, and the limit is "
            f"{addresses >> 20:,} MB: raise it with ulimit -v, or take it away"
        )
    free = min(_free(), default=LEAST_FREE)
    if free < LEAST_FREE:
        raise PerfAssetsError(
            f"a run needs at least {LEAST_FREE >> 20:,} MB of memory, and {free >> 20:,} MB are "
            "free: end other programs, or let this one have more (docs/performance.md says how "
            "much larger studies need)"
        )


def _free() -> Iterator[int]:
    """Yield how much the machine has left, and how much the control group of this process."""
    if MEMINFO.exists():
        lines = (line.partition(":") for line in MEMINFO.read_text().splitlines())
        sizes = {name: int(value.split()[0]) << 10 for name, _, value in lines if value.split()}
        if "MemAvailable" in sizes:
            yield sizes["MemAvailable"] + sizes.get("SwapFree", 0)
    for limit, use in GROUPS:
        if limit.exists() and use.exists() and (most := limit.read_text().strip()).isdecimal():
            yield int(most) - int(use.read_text()) + _reclaimable(use.parent)


def _reclaimable(group: Path) -> int:
    """Return what the group holds of files, which the system frees when memory is needed."""
    lines = (line.split() for line in (group / "memory.stat").read_text().splitlines())
    sizes = {name: int(value) for name, value in lines}
    return sizes.get("total_inactive_file", sizes.get("inactive_file", 0))
