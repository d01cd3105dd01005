"""The Dagster UI in a browser: opened on a data directory, and what several walks through it do."""

import gzip
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.dagster_answers import dagster_answer
from tests.ports import free_port
from tests.support import command, environment

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SPOILED_RULE = "is_an_issue_not_a_pull_request"  # what ``spoil`` breaks
LAUNCH = re.compile("^Launch")
SECONDS = 120.0  # a backfill waits half a minute for the daemon to look
ENDED = ("SUCCESS", "FAILURE", "CANCELED", "COMPLETED_SUCCESS", "COMPLETED_FAILED")
RUNS = "{ runsOrError(limit: 1) { ... on Runs { results { runId status } } } }"
BACKFILLS = """
{ partitionBackfillsOrError(limit: 1) {
    ... on PartitionBackfills { results { id status numPartitions } } } }
"""


class Ui:
    """A UI that is open, and what a test asks it behind the page."""

    def __init__(self, address: str) -> None:
        self.address = address

    def asked(self, query: str) -> list[dict[str, Any]]:
        return self._answer(query)["results"]  # type: ignore[no-any-return]

    def launch(self, job: str) -> None:
        """Start a job as it is, as its page does."""
        selector = (
            'repositoryLocationName: "perf_assets.definitions", repositoryName: "__repository__", '
            f'jobName: "{job}"'
        )
        parameters = f'{{selector: {{{selector}}}, runConfigData: {{}}, mode: "default"}}'
        query = f"mutation {{ launchRun(executionParams: {parameters}) {{ __typename }} }}"
        assert self._answer(query)["__typename"] == "LaunchRunSuccess"

    def _answer(self, query: str) -> dict[str, Any]:
        found = dagster_answer(self.address, query, SECONDS)
        return next(iter(found.values()))  # type: ignore[no-any-return]

    def waited_for(self, query: str, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The newest run or backfill, once ``is_it`` holds of it."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            found = self.asked(query)
            if found and is_it(found[0]):
                return found[0]
            time.sleep(0.3)
        raise AssertionError(f"{query}: {self.asked(query)}")


@contextmanager
def opened(*arguments: str | Path) -> Iterator[str]:
    """The address of what a command opens, which ends with the block."""
    port = free_port()
    with subprocess.Popen(
        command(*arguments, "--port", str(port)),
        stdout=subprocess.PIPE,
        text=True,
        env=environment(PYTHONUNBUFFERED="1"),
    ) as process:
        assert process.stdout is not None
        assert "(Ctrl-C stops it)" in process.stdout.readline()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def spoil(path: Path, month: str) -> None:
    """Have GitHub say of an issue of ``month`` that its page is that of a pull request."""
    issues = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    newest = max(issue["updated_at"] for issue in issues)
    bad = next(issue for issue in issues if issue["created_at"][:7] == month)
    bad |= {"html_url": bad["html_url"].replace("/issues/", "/pull/"), "updated_at": newest}
    path.write_bytes(gzip.compress("\n".join(json.dumps(issue) for issue in issues).encode()))


def materialize(page: "Page", months: str) -> "Locator":
    """The dialog that asks for partitions of raw.issues, filled in."""
    page.get_by_role("button", name="Materialize").first.click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=text]").first.fill(months)
    dialog.get_by_role("button", name="All").last.click()
    return dialog
