"""The time of day goes back while a run is at work, as it does on a machine whose clock is set."""

import subprocess
from pathlib import Path

import pytest

from tests.faults import compiled, compiler
from tests.paths import ROOT
from tests.support import Prepared, assert_same_tables, command, environment, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

CLOCK = ROOT / "tests" / "clock.c"


@pytest.mark.skipif(compiler() is None, reason="a clock that goes back needs Linux and cc")
@pytest.mark.parametrize("seconds", [4, 7])
def test_a_clock_that_goes_back_a_day_changes_no_table(
    small: Prepared, tmp_path: Path, seconds: int
) -> None:
    library = compiled(CLOCK, tmp_path)
    data_dir = tmp_path / "home"
    run = command("run", "--study", small.study, "--data-dir", data_dir)
    for after in (seconds, 0):  # in the midst of the first run; and a day behind in the second
        variables = environment(
            LD_PRELOAD=str(library), AFTER_SECONDS=str(after), BACK_SECONDS=str(86_400)
        )
        done = subprocess.run(run, capture_output=True, text=True, env=variables, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
        for name in ("warehouse.duckdb", "perf_bugs.duckdb"):
            assert_same_tables(stored_tables(small.data_dir / name), stored_tables(data_dir / name))
