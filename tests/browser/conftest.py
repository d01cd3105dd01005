"""Debian's chromium, steered by Playwright; its tests are passed over where it is missing.

The tests of a file share one browser; each has a window of its own, with nothing in it. No browser
is left to tests of other files: while Playwright is at work, nothing else may run an event loop.
"""

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Whatever a page asks of another machine fails at once.
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
# As root it does not start within its sandbox.
OPTIONS = [OFFLINE, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
WINDOW = {"width": 1440, "height": 900}
PATIENCE = 15_000  # milliseconds that a page has for what it is asked for


def chromium() -> str | None:
    """The browser of this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Chromium without a window, which reaches this machine alone."""
    steering = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = chromium()
    if found is None:
        pytest.skip("no chromium is on the PATH (Debian: apt-get install chromium)")
    with steering.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=OPTIONS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """An empty page of 1440 by 900, in the light scheme."""
    with browser.new_context(viewport=WINDOW, color_scheme="light") as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()
