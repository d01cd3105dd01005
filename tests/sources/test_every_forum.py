"""What holds of the questions of every forum, whichever software it runs on."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.forums import Forum
from perf_assets.sources import rest_client
from perf_assets.sources.posts import TABLES
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stages.mining import api_questions
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stand_ins.discussions.server import REPOSITORY
from perf_assets.stand_ins.generator.forum.plan import TAG_SETS
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.crash_testing import Deed, kill_at_random_moments
from tests.effort import some
from tests.forum_places import SITE, START, planned, written
from tests.support import Prepared
from tests.unreliable_discourse import UnreliableDiscourse
from tests.unreliable_discussions import UnreliableDiscussions
from tests.unreliable_forum import Faults, UnreliableForum

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

Tables = dict[str, pl.DataFrame]
HOSTILE = (
    *(
        "a\x00b",
        "\x1b[2J\x07",
        "\u202eabc\u2066",
        "\ufdd0\U0010ffff",
        "'; DROP TABLE x; --",
        "{{x}}",
    ),
    *("<script>alert(1)</script>", "<p>" * 5000, "&" * 100_000, "=cmd|' /C calc'!A0", "\r\n\t "),
)


@dataclass(frozen=True)
class Kind:
    """A kind of forums, with its stand-in.

    silent : what happens without an activity, by table; a refresh does not find it.
    untold : columns that the forum has in other words than Stack Exchange, or not at all.
    comments : whether there are comments on answers.
    """

    name: str
    serve: Callable[[Site, Faults | None], AbstractContextManager[Any]]
    show: Callable[[Any, Site], None]
    silent: Mapping[str, tuple[str, ...]]
    untold: tuple[str, ...] = ()
    comments: bool = True
    site: str = SITE


def _show_stack_exchange(server: UnreliableForum, site: Site) -> None:
    server.sites[SITE] = site


def _show(server: UnreliableDiscourse | UnreliableDiscussions, site: Site) -> None:
    server.site = site


STACK_EXCHANGE = Kind(
    "stackexchange",
    lambda site, faults: UnreliableForum({SITE: site}, faults=faults),
    _show_stack_exchange,
    {TABLES[2]: ("comment_id",)},
)
DISCOURSE = Kind(
    "discourse",
    lambda site, faults: UnreliableDiscourse(site, faults=faults),
    _show,
    {TABLES[0]: ("closed_at", "closed_reason")},
    ("last_activity_at", "closed_reason", "duplicate_of", "html_url"),
    comments=False,
)
GITHUB = Kind(
    "github",
    lambda site, faults: UnreliableDiscussions(site, faults=faults),
    _show,
    {TABLES[2]: ("comment_id",)},
    ("views", "closed_reason", "duplicate_of", "html_url"),
    site=REPOSITORY,
)
KINDS = (STACK_EXCHANGE, DISCOURSE, GITHUB)
every = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


def patience(longest_wait: float) -> RequestPolicy:
    return RequestPolicy(first_pause=0.001, longest_pause=0.01, longest_wait=longest_wait)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_questions, "RequestPolicy", patience)
    monkeypatch.setattr(rest_client, "SHORTEST_PAUSE", 0.001)


@pytest.fixture(scope="module")
def plan():
    return planned(60)


@pytest.fixture(scope="module")
def site(plan, tmp_path_factory) -> Site:
    return read_site(written(tmp_path_factory.mktemp("forum"), plan))


def forum_at(kind: Kind, url: str) -> Forum:
    tags = dict(TAG_SETS)
    return Forum(
        name=SITE,
        kind=kind.name,
        site=kind.site,
        tags=tags,
        start=START,
        end="2020-06",
        api_url=url,
    )


def mined(data_dir: Path, forum: Forum, **options: object) -> None:
    directory = DataDirectory.of(data_dir)
    with open_warehouse(directory.warehouse) as database:
        writer = AuditedWriter(database, directory)
        for tag_set in forum.tag_sets:
            for outcome in mine_questions(writer, forum, tag_set, tag_set.months, **options):
                assert outcome.failure is None


def stored(data_dir: Path) -> Tables:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        return {
            table: database.frame(f"FROM {table} ORDER BY ALL").drop("loaded_at", strict=False)
            for table in TABLES
        }


def assert_same(one: Tables, other: Tables) -> None:
    for table in TABLES:
        assert_frame_equal(one[table].sort(pl.all()), other[table].sort(pl.all()))


@every
def test_it_gives_the_same_rows_as_stack_exchange(kind, site, tmp_path) -> None:
    with STACK_EXCHANGE.serve(site, None) as server:
        mined(tmp_path / "known", forum_at(STACK_EXCHANGE, server.url))
    with kind.serve(site, None) as server:
        mined(tmp_path / "found", forum_at(kind, server.url))
    ways = [stored(tmp_path / way) for way in ("known", "found")]
    if kind is not STACK_EXCHANGE:
        for tables in ways:
            of_answers = pl.col("post_id") != pl.col("question_id")
            comments = tables.pop(TABLES[2]).filter(of_answers)
            if kind.comments:
                tables[TABLES[2]] = comments
        tags = pl.col("tags").list.filter(~pl.element().str.starts_with("category:"))
        for tables in ways:
            # Nobody can dislike a post.
            likes = pl.col("score").clip(lower_bound=0)
            tables[TABLES[0]] = tables[TABLES[0]].drop(kind.untold).with_columns(likes, tags)
            tables[TABLES[1]] = tables[TABLES[1]].with_columns(likes)
    for table in ways[0]:
        assert ways[0][table].height
        assert_frame_equal(*(way[table].sort(pl.all()) for way in ways))


@every
@pytest.mark.parametrize("seed", some(*range(50), few=5))
def test_a_refresh_equals_a_fresh_load_whatever_goes_wrong(
    kind, seed, plan, site, tmp_path
) -> None:
    times = sorted(question.touched for question in plan.studied)
    early = read_site(written(tmp_path / "early", plan, times[len(times) // 2]))
    with kind.serve(early, Faults(seed, 0.3)) as server:
        mined(tmp_path / "both", forum_at(kind, server.url))
        kind.show(server, site)
        mined(tmp_path / "both", forum_at(kind, server.url))
        assert any(request.fault for request in server.requests)
        assert not any(request.is_impolite for request in server.requests)
    with kind.serve(site, None) as server:
        mined(tmp_path / "fresh", forum_at(kind, server.url))
    both, fresh = (stored(tmp_path / way) for way in ("both", "fresh"))
    for tables in (both, fresh):
        for table, columns in kind.silent.items():
            tables[table] = tables[table].select(pl.exclude(columns, "html_url"))
        tables[TABLES[0]] = tables[TABLES[0]].select(pl.exclude("html_url"))
    if TABLES[2] in kind.silent:
        both.pop(TABLES[2])
        fresh.pop(TABLES[2])
    for table in both:
        assert_frame_equal(both[table].sort(pl.all()), fresh[table].sort(pl.all()))


@every
def test_what_a_refresh_does_not_see_is_found_when_months_are_read_again(
    kind, plan, site, tmp_path
) -> None:
    mine = sorted(n for n, question in site.questions.items() if "tensorkit" in question["tags"])
    gone, liked, moved = mine[:3]
    questions = {n: question for n, question in site.questions.items() if n != gone}
    questions[liked] = {**questions[liked], "score": 1234, "view_count": 123_456}
    questions[moved] = {**questions[moved], "tags": ["gradlib"]}
    last = max(site.answers)
    later = Site(questions, {n: answer for n, answer in site.answers.items() if n != last})
    asked = site.answers[last]["question_id"]
    fewer = {"answer_count": questions[asked]["answer_count"] - 1, "accepted_answer_id": None}
    questions[asked] = {**questions[asked], **fewer}
    with kind.serve(site, None) as server:
        forum = forum_at(kind, server.url)
        mined(tmp_path / "home", forum)
        kind.show(server, later)
        mined(tmp_path / "home", forum, reconcile_months=1)
        mined(tmp_path / "fresh", forum)
    assert gone not in stored(tmp_path / "home")[TABLES[0]]["question_id"]
    assert_same(stored(tmp_path / "home"), stored(tmp_path / "fresh"))


@every
def test_texts_of_strangers_are_stored_as_they_are(kind, site, tmp_path) -> None:
    mine = sorted(n for n, question in site.questions.items() if "tensorkit" in question["tags"])
    questions = dict(site.questions)
    for number, text in zip(mine, HOSTILE, strict=False):
        owner = {"display_name": text}
        hostile = {"body": text, "owner": owner, "tags": [*questions[number]["tags"], text]}
        questions[number] = {**questions[number], **hostile, "title": text.replace("&", "&amp;")}
    with kind.serve(Site(questions, site.answers), None) as server:
        mined(tmp_path, forum_at(kind, server.url))
    rows = {row["question_id"]: row for row in stored(tmp_path)[TABLES[0]].iter_rows(named=True)}
    for number, text in zip(mine, HOSTILE, strict=False):
        assert rows[number]["body_html"] == text


@every
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.exhaustive)])
def test_a_load_that_is_killed_goes_on_as_if_undisturbed(kind, kills, site, tmp_path) -> None:
    with kind.serve(site, None) as server:
        deed = Deed(_empty, partial(_load, forum_at(kind, server.url)), tables=stored_whole)
        nothing = cast("Prepared", SimpleNamespace(study=tmp_path))
        kill_at_random_moments(deed, nothing, tmp_path, kills)


def _empty(_: Prepared, data_dir: Path) -> None:
    data_dir.mkdir()


def _load(forum: Forum, _: Path, data_dir: Path) -> None:
    mined(data_dir, forum)


def stored_whole(data_dir: Path) -> Mapping[str, pl.DataFrame]:
    return stored(data_dir)


@every
def test_requests_are_few(kind, tmp_path_factory, tmp_path, capsys) -> None:
    big = read_site(written(tmp_path_factory.mktemp("forum"), planned(200)))
    with kind.serve(big, None) as server:
        forum = forum_at(kind, server.url)
        mined(tmp_path, forum)
        first = len(server.requests)
        mined(tmp_path, forum)
        second = len(server.requests) - first
    with capsys.disabled():
        print(f"\n{kind.name}: {5 * first} requests for 1,000 questions, {second} for a refresh")
    assert second <= 7 * len(forum.tag_sets)
