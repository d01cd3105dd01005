"""What axe-core finds in a page."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page


def breaches(page: "Page") -> list[str]:
    """What axe finds, in words."""
    axe = pytest.importorskip("axe_core_python", reason="axe-core is not installed")
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
