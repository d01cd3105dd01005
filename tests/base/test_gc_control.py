"""What a process holds of memory that nobody uses."""

import ctypes
import subprocess
import sys

import pytest

MEGABYTE = 1_000_000
SCRIPT = """
from perf_assets.base.processes.gc_control import hold_little_free_memory

def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

{first}
bytearray(30_000_000)  # freed at once: by itself, glibc keeps blocks up to that from then on
before = held()
large, small = [], []
for _ in range(20):
    large.append(bytearray(5_000_000))
    large[-1][::4096] = bytes(len(large[-1][::4096]))
    small.append(bytearray(1_000))
del large
print(held() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="only glibc has mallopt")
def test_large_blocks_that_are_freed_go_back_to_the_system() -> None:
    def kept(first: str) -> int:
        command = [sys.executable, "-c", SCRIPT.format(first=first)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert kept("hold_little_free_memory()") < 5 * MEGABYTE < 50 * MEGABYTE < kept("")
