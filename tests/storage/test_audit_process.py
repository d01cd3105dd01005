"""The process that validates: lost, it is one sentence, and the next rows get another one."""

import os
import signal
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.processes.child import PROC, descendants
from perf_assets.storage.audit.process import validate
from perf_assets.storage.audit.rules import Rule

FRAME = pl.DataFrame({"number": [1, 2, 3], "labels": [["a", "b"], [], None]})
IS_SMALL = Rule(
    name="number_is_small",
    type="expect_column_values_to_be_between",
    kwargs={"column": "number", "max_value": 2},
    severity="critical",
    note="It is small.",
)


def processes() -> set[int]:
    """Those that validate."""
    return {
        process
        for process in descendants(os.getpid())
        if "storage.audit.process" in (PROC / str(process) / "cmdline").read_text()
    }


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.skipif(not PROC.is_dir(), reason="processes are listed by /proc")
def test_a_process_that_was_lost_is_reported_in_one_sentence_and_replaced() -> None:
    found = validate(Path("suite.json"), [IS_SMALL], FRAME)
    assert list(found["number_is_small"].rows or []) == [2]
    (process,) = processes()
    os.kill(process, signal.SIGKILL)
    with pytest.raises(TransientError, match=r"ended by itself \(SIGKILL\).*: run again$"):
        validate(Path("suite.json"), [IS_SMALL], FRAME)
    assert validate(Path("suite.json"), [IS_SMALL], FRAME) == found
    (another,) = processes()
    assert another != process


@pytest.mark.slow
def test_what_is_wrong_with_a_rule_is_reported_by_the_process_that_asked() -> None:
    malformed = Rule("number_is_odd", "critical", "It is odd.", "expect_nothing", {})
    with pytest.raises(PerfAssetsError, match=r"^suite.json: rule number_is_odd is malformed: "):
        validate(Path("suite.json"), [malformed], FRAME)
