"""A disk that fails when it is told to: tests/faults.c, compiled here and preloaded.

Every process that starts with it, and what that one starts, counts its writes below a directory.
"""

import mmap
import os
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
CONTROL = "FAULT_CONTROL"
PRELOAD = "LD_PRELOAD"
# As struct control of the source.
LAYOUT = struct.Struct("=QQQQiiii1024s1024s")
WHY_NOT = "a disk that fails needs Linux and a C compiler (cc)"


def compiler() -> str | None:
    """What compiles the library; None where there is none, or no way to preload it."""
    return shutil.which("cc") if sys.platform == "linux" else None


def is_preloaded() -> bool:
    """Whether writes of this process and of those it starts can fail."""
    return CONTROL in os.environ


def surroundings(directory: Path) -> dict[str, str]:
    """The variables with which a process starts whose writes can fail; the files go there."""
    control = directory / "faults"
    control.write_bytes(bytes(mmap.PAGESIZE))
    return {CONTROL: str(control), PRELOAD: str(compiled(SOURCE, directory))}


def compiled(source: Path, directory: Path) -> Path:
    """The library of ``source``, to be preloaded."""
    found = compiler()
    assert found is not None, WHY_NOT
    library = directory / source.with_suffix(".so").name
    arguments = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", source, "-o", library, "-ldl"]
    subprocess.run([found, *map(str, arguments)], check=True)
    return library


@dataclass(frozen=True)
class Fault:
    """How writes fail.

    first : the number of the call that fails; 0 for none, to count them.
    error : what it fails with.
    is_lasting : whether all later calls fail too.
    spared : files below it are counted apart.
    is_sparing : whether they never fail; ``first`` is one of the others then.
    """

    first: int = 0
    error: int = 0
    is_lasting: bool = False
    spared: Path | None = None
    is_sparing: bool = False

    def __str__(self) -> str:
        """For the message of a test that fails."""
        calls = f"call {self.first}{' and all later ones' if self.is_lasting else ''}"
        sparing = f", sparing {self.spared}" if self.is_sparing else ""
        return f"{os.strerror(self.error)} at {calls}{sparing}"


def arm(directory: Path, fault: Fault) -> None:
    """Count calls on files below ``directory`` from now on, and let them fail as ``fault`` says."""
    _write(
        0,
        0,
        fault.first,
        0,
        1,
        fault.error,
        fault.is_lasting,
        fault.is_sparing,
        str(directory).encode(),
        str(fault.spared or "").encode(),
    )


@dataclass(frozen=True)
class Calls:
    """How many calls there were, how many of them on no file that is spared; how many failed."""

    every: int
    beside: int
    failed: int


def disarm() -> Calls:
    """Let nothing fail any more; the calls until then."""
    with Path(os.environ[CONTROL]).open("rb") as file:
        every, beside, _, failed, *_ = LAYOUT.unpack(file.read(LAYOUT.size))
    _write(0, 0, 0, 0, 0, 0, 0, 0, b"", b"")
    return Calls(every, beside, failed)


def _write(*values: int | bytes) -> None:
    with Path(os.environ[CONTROL]).open("r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
        shared[: LAYOUT.size] = LAYOUT.pack(*values)
