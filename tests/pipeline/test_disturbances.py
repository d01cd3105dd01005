"""Operations that are stopped, killed or let down by their disk end right when done again.

Each is disturbed a hundred times in each way by `make soak`.
"""

import subprocess
import sys

import pytest

from tests import faults
from tests.support import Prepared, environment

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

WAYS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "ENOSPC", "EIO")
CASES = [
    (name, way)
    for name in (
        "publish",
        "backup",
        "restore",
        "lake push",
        "lake pull",
        "review import",
        "refresh",
        "run",
        "ui",
    )
    for way in WAYS
]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_what_is_disturbed_and_done_again_ends_as_if_undisturbed(
    small: Prepared, name: str, way: str
) -> None:
    if way in ("ENOSPC", "EIO") and faults.compiler() is None:
        pytest.skip(faults.WHY_NOT)
    arguments = ["--number", "1", "--kind", way, "--prepared", small.directory, "--quiet", name]
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.kills", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    assert f"{way} during {name}: 1 times: held" in done.stdout
