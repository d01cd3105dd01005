"""The review workbench as raters use it: by keyboard alone, two at once, without a network."""

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from perf_assets.web.review.store import Store
from tests.browser.accessibility import breaches
from tests.effort import some
from tests.review_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

DRAWN = ("--sample", "8", "--unlabelled", "8", "--rater", "Ann", "--rater", "Ben")
HOSTILE = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt=1'>"
    "<a href='javascript:window.hurt=1'>link</a><svg onload='window.hurt=1'></svg>"
    "\n\n![x](http://evil.example/x.png) \u202eslow " + "word " * 200_000
)


def subject(page: "Page") -> str:
    return page.get_attribute(".subject", "data-subject") or ""


def press(page: "Page", *keys: str) -> None:
    """Press keys, and wait for another subject after the last."""
    before = subject(page)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(
        "before => document.querySelector('.subject').dataset.subject !== before", arg=before
    )


def test_a_rater_judges_by_keyboard_alone(page: "Page", data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        page.goto(server.links["Ann"])
        assert "enter" not in page.url  # the secret is out of the address
        judged = []
        for number in range(10):
            judged.append(subject(page))
            if number == 0:
                page.keyboard.press("y")
                page.keyboard.press("c")
                page.keyboard.type("Memory inefficiency")
                assert "More memory is taken" in page.inner_text("[data-definition=category]")
                page.keyboard.press("Escape")
                page.keyboard.press("2")
                page.keyboard.press("t")
                page.keyboard.type("y n u: keys are letters here")
                press(page, "Escape", "d", "Enter")
            else:
                press(page, "ynu"[number % 3], "Enter")
        page.goto(f"{server.address}/codebook")
        assert page.get_by_text("You took for it").count() == 1
        page.goto(server.address)
        press(page, "z")
        assert subject(page) == judged[-1]
        press(page, "n", "Enter")
    answers = {
        f"{one.key.kind} {one.key.container} {one.key.number}": one
        for one in Store(data_dir / "review").answers("Ann")
    }
    assert set(answers) == set(judged)
    first = answers[judged[0]]
    assert first.is_to_discuss and first.cells == {
        "is_performance": "yes",
        "category": "Memory inefficiency",
        "impact": "memory",
        "note": "y n u: keys are letters here",
    }
    assert answers[judged[-1]].cells["is_performance"] == "no"
    assert all(one.seconds is not None for one in answers.values())


def test_a_list_filters_while_one_types_and_enter_takes_the_first_match(
    page: "Page", data_dir: Path
) -> None:
    with serving(data_dir, *DRAWN) as server:
        page.goto(server.links["Ann"])
        page.keyboard.press("y")
        page.keyboard.press("c")
        page.keyboard.type("memory in")
        options = page.locator("[role=option]:visible").all_inner_texts()
        assert options[0] == "Memory inefficiency"
        assert all("memory in" in option.casefold() for option in options)
        page.keyboard.press("Enter")
        assert page.input_value("[name=category]") == "Memory inefficiency"
        assert page.locator("[role=option]:visible").count() == 0
        page.keyboard.press("c")  # what stands there is selected: typing replaces it
        page.keyboard.type("caching")
        page.keyboard.press("Enter")
        assert page.input_value("[name=category]") == "Inefficient caching"
        page.keyboard.press("c")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        page.keyboard.type("caching")
        page.locator("[role=option]:visible").first.click()
        assert page.input_value("[name=category]") == "Inefficient caching"
        page.keyboard.press("Escape")
        press(page, "Enter")
    (answer,) = Store(data_dir / "review").answers("Ann")
    assert answer.cells["category"] == "Inefficient caching"


def test_a_notice_ends_and_covers_no_button(page: "Page", data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        page.goto(server.links["Ann"])
        press(page, "n", "Enter")
        assert page.inner_text("#status") == "Saved."
        page.wait_for_function("() => document.getElementById('status').textContent === ''")
        page.goto(f"{server.address}/discussion")
        page.click("#collect")
        page.get_by_text("Bringing the answers into the database").wait_for()
        notice, button = (page.locator(at).bounding_box() for at in ("#status", "#collect"))
        assert notice is not None and button is not None
        assert notice["y"] + notice["height"] <= button["y"]
        assert page.is_disabled("#collect")


@pytest.mark.exhaustive
def test_an_answer_that_is_being_typed_survives_the_server(page: "Page", data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        page.goto(server.links["Ann"])
        page.keyboard.press("y")
        page.keyboard.press("t")
        page.keyboard.type("half a note")
        page.reload()
        assert page.input_value("[name=note]") == "half a note"
        assert page.is_checked("[value=yes]")
        server.kill()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "document.getElementById('status').textContent.includes('Not saved')"
        )
        assert page.input_value("[name=note]") == "half a note"


@pytest.mark.exhaustive
def test_two_raters_at_once_and_their_discussion(browser: "Browser", data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        pages = []
        for rater in ("Ann", "Ben"):
            page = browser.new_context().new_page()
            page.goto(server.links[rater])
            pages.append(page)
        assert subject(pages[0]) != subject(pages[1])  # each in an order of their own
        while subject(pages[0]) or subject(pages[1]):
            for page, keys in zip(pages, ("yn", "yy"), strict=True):
                if current := subject(page):
                    press(page, keys[int(current.rpartition(" ")[2]) % 2], "Enter")
        page = pages[0]
        page.goto(f"{server.address}/discussion")
        assert "Ann and Ben" in page.inner_text("table")
        cases = page.locator(".case").count()
        assert cases > 0
        form = page.locator(".case form").first
        form.locator("select[name=is_performance]").select_option("yes")
        form.locator("input[name=note]").fill("we talked")
        form.locator("button").click()
        page.locator(".agreed").first.wait_for()
        assert page.locator(".case").count() == cases
        page.goto(f"{server.address}/codebook")
        page.fill("#change [name=name]", "Kernel launch")
        page.fill("#change [name=definition]", "Many small kernels")
        page.click("#change button")
        page.get_by_text("propose Kernel launch").wait_for()
        page.fill("#search", "small kernels")
        assert page.locator(".category:visible").count() == 1


def test_hostile_texts_do_nothing(page: "Page", data_dir: Path) -> None:
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb")) as connection:
        connection.execute("update raw.issues set body = ?, title = ?", [HOSTILE, HOSTILE[:300]])
    reached: list[str] = []
    with serving(data_dir, *DRAWN) as server:
        page.on("request", lambda one: reached.append(one.url))
        page.on("dialog", lambda dialog: reached.append(dialog.message))
        page.goto(server.links["Ann"])
        page.locator("article a", has_text="link").first.click(timeout=2_000, no_wait_after=True)
        assert page.evaluate("window.hurt") is None
        assert "\u202e" not in page.inner_text("article")
        press(page, "n", "Enter")
        assert all(url.startswith(server.address) for url in reached)


@pytest.mark.parametrize(
    ("scheme", "width"),
    some(("light", 1280), ("dark", 390), ("dark", 1280), ("light", 390)),
)
def test_everybody_can_read_it(browser: "Browser", data_dir: Path, scheme: str, width: int) -> None:
    with (
        serving(data_dir, *DRAWN) as server,
        browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
        ) as context,
    ):
        page = context.new_page()
        failures: list[str] = []
        page.on("console", lambda one: failures.append(one.text) if one.type == "error" else None)
        page.goto(server.links["Ann"])
        assert breaches(page) == []
        for name in ("discussion", "codebook"):
            page.goto(f"{server.address}/{name}")
            assert breaches(page) == []
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width
        assert failures == []
