"""Bugzilla as a host of a study: names, addresses, the key, and what doctor reports."""

from datetime import UTC, datetime

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.repositories import Repository
from perf_assets.sources.bugzilla.host import cost_of, examine, open_source
from perf_assets.sources.bugzilla.spot import spot_of
from perf_assets.sources.issues.opening import StoredMonths
from perf_assets.stand_ins.bugzilla.server import BugzillaServer
from tests.sources.bugzilla.reading import repository
from tests.stand_ins.tracker import corpus_of, issue

NOTHING = StoredMonths({}, ["2021-01", "2021-02"], 0)


def test_a_component_may_have_a_slash() -> None:
    spot = spot_of(
        "bugzilla.mozilla.org/Core/XP Toolkit/Widgets: XUL", "https://bugzilla.mozilla.org/rest"
    )
    assert spot.parameters == {"product": "Core", "component": "XP Toolkit/Widgets: XUL"}
    assert spot.has("core", "XP Toolkit/Widgets: XUL")
    assert not spot.has("Core", "XP Toolkit")


def test_the_api_is_that_of_the_host() -> None:
    entry = Repository(
        name="bugzilla.mozilla.org/Core/JavaScript Engine",
        git="https://example.org/code.git",
        start="2020-01",
    )
    assert (entry.source, entry.api) == ("bugzilla", "https://bugzilla.mozilla.org/rest")


@pytest.mark.parametrize(
    ("api", "page"),
    [
        ("https://gcc.gnu.org/bugzilla/rest", "https://gcc.gnu.org/bugzilla"),
        ("https://proxy.example.org/rest", "https://gcc.gnu.org"),
    ],
)
def test_pages_are_where_the_api_is(api: str, page: str) -> None:
    assert spot_of("gcc.gnu.org/gcc/middle-end", api).pages == page


def test_doctor_reports_what_there_is_to_read() -> None:
    said: list[str] = []
    with BugzillaServer([corpus_of([issue(1), issue(2)])]) as server:
        found = [repository(server.url), repository(server.url, "o/nothing")]
        stored = StoredMonths({"2020-12": datetime(2021, 1, 1, tzinfo=UTC)}, NOTHING.missing, 1)
        assert not examine(found, lambda _: stored, said.append)
    assert said[0].startswith(f"{found[0].name}: 2020-01 to ")
    assert "2 months with 2 issues to load, 1 of them again, 1 stored: up to 12 requests" in said[0]
    assert said[1].startswith(f"{found[1].name}: it has no public bugs: check the names")


def test_doctor_reports_an_api_that_is_not_there() -> None:
    said: list[str] = []
    with BugzillaServer([]) as server:
        wrong = repository(server.url.removesuffix("/rest") + "/nowhere")
        assert not examine([wrong], lambda _: NOTHING, said.append)
    (sentence,) = said
    assert "check the name, api_url and the API key" in sentence


def test_the_cost_grows_with_the_pages() -> None:
    assert cost_of({}) == "up to 1 requests"
    assert cost_of({"2021-01": 1000}) == "up to 35 requests"


def test_a_key_is_not_sent_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUGZILLA_API_KEY_BUGS_EXAMPLE_ORG", "canary-key")
    entry = repository("http://bugs.example.org/rest")
    with pytest.raises(
        PerfAssetsError, match="BUGZILLA_API_KEY_BUGS_EXAMPLE_ORG would be sent"
    ) as raised:
        open_source(entry, 1.0).__enter__()
    assert "canary-key" not in str(raised.value)
