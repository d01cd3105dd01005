"""Numbers of processes, as files keep them."""

from __future__ import annotations

import os
import re

NUMBER = re.compile(r"[0-9]{1,9}")


def is_alive(process: str) -> bool:
    """Return whether it is the number of a process on this machine, of any user."""
    if NUMBER.fullmatch(process) is None:
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
