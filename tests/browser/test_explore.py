"""The page to query, as a person uses it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ports import free_port
from tests.support import Prepared, serving_process

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

HOSTILE = """
SELECT '<img src=x onerror=alert(1)>' AS "<b>title</b>", 'https://evil.example/x.png' AS url, n
FROM range(3) r(n)
"""


@contextmanager
def opened(data_dir: Path) -> Iterator[str]:
    port = free_port()
    with serving_process("explore", "--data-dir", data_dir, "--port", str(port)) as process:
        assert process.stdout is not None and process.stderr is not None
        address = f"http://127.0.0.1:{port}"
        assert process.stdout.readline() == f"Queries: {address} (Ctrl-C stops it)\n"
        try:
            yield address
        finally:
            process.terminate()
        assert process.wait(20) == 143
        assert process.stderr.read().startswith("Stopped: the page of ")


def ask(page: "Page", sql: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(sql)
    page.get_by_role("heading").first.click()


@pytest.mark.exhaustive
def test_a_query_is_chosen_changed_and_taken_along(page: "Page", small: Prepared) -> None:
    obeyed, failures = [], {}
    with opened(small.data_dir) as address:
        page.on("dialog", lambda dialog: obeyed.append(dialog.message))
        page.on("requestfailed", lambda one: failures.update({one.url: one.failure}))
        page.goto(address, timeout=60_000)
        page.get_by_role("columnheader", name="opened_percentage").wait_for(timeout=60_000)
        page.locator("canvas, svg.marks").first.wait_for()

        page.get_by_label("Search the questions").fill("zebra")
        page.keyboard.press("Enter")
        page.get_by_text("No question has these words.").wait_for()
        page.get_by_label("Search the questions").fill("")
        page.keyboard.press("Enter")
        page.get_by_role("columnheader", name="opened_percentage").wait_for(timeout=60_000)

        ask(page, HOSTILE)
        page.get_by_role("cell", name="<img src=x onerror=alert(1)>").first.wait_for()
        page.get_by_role("columnheader", name="<b>title</b>").wait_for()
        with page.expect_download() as download:
            page.get_by_text("Download as CSV").click()
        assert download.value.path().read_text().splitlines()[1:] == [
            f"<img src=x onerror=alert(1)>,https://evil.example/x.png,{n}" for n in range(3)
        ]

        ask(page, "SELECT nothing FROM nowhere")
        page.get_by_text("Table with name nowhere does not exist!").wait_for()
        ask(page, "FROM read_text('/etc/hostname')")
        page.get_by_text("has been disabled by configuration").wait_for()
        assert failures["https://evil.example/x.png"] == "csp"
        assert obeyed == []
        page.close()
