"""Questions in the warehouse: from a dump, from the API, from both, and refreshed."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.forums import Forum
from perf_assets.sources.posts import TABLES
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stages.mining import api_questions
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stand_ins.generator.forum.truth import truth_of
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import open_warehouse
from tests.effort import some
from tests.forum_places import QUESTION, SITE, forum_of, planned, posts, written
from tests.unreliable_forum import Faults, UnreliableForum

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

Tables = dict[str, pl.DataFrame]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    def patience(longest_wait: float) -> RequestPolicy:
        pauses = {"first_pause": 0.001, "longest_pause": 0.01}
        return RequestPolicy(**pauses, longest_wait=longest_wait)

    monkeypatch.setattr(api_questions, "RequestPolicy", patience)


@pytest.fixture(scope="module")
def plan():
    return planned(60)


@pytest.fixture(scope="module")
def dump(plan, tmp_path_factory) -> Path:
    return written(tmp_path_factory.mktemp("forum"), plan)


@pytest.fixture(scope="module")
def site(dump) -> Site:
    return read_site(dump)


def mined(data_dir: Path, forum: Forum, **options: object) -> list[WriteOutcome]:
    directory = DataDirectory.of(data_dir)
    with open_warehouse(directory.warehouse) as database:
        writer = AuditedWriter(database, directory)
        return [
            outcome
            for tag_set in forum.tag_sets
            for outcome in mine_questions(writer, forum, tag_set, tag_set.months, **options)
        ]


def stored(data_dir: Path, *left_out: str) -> Tables:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        return {
            table: database.frame(f"FROM {table} ORDER BY ALL").drop(
                "loaded_at", *left_out, strict=False
            )
            for table in TABLES
        }


def assert_same(one: Tables, other: Tables) -> None:
    assert one.keys() == other.keys()
    for table in one:
        assert_frame_equal(one[table].sort(pl.all()), other[table].sort(pl.all()))


def failures(outcomes: Sequence[WriteOutcome]) -> Iterator[str]:
    return (outcome.failure for outcome in outcomes if outcome.failure is not None)


def test_every_question_is_as_it_was_planned(plan, dump, tmp_path) -> None:
    assert not list(failures(mined(tmp_path, forum_of(dump))))
    tables = stored(tmp_path)
    rows = {row["question_id"]: row for row in tables["raw.questions"].iter_rows(named=True)}
    truth = {question.number: truth_of(question) for question in plan.studied}
    assert rows.keys() == truth.keys()
    comments = dict(tables["raw.question_comments"].group_by("question_id").len().iter_rows())
    for number, row in rows.items():
        known = truth[number]
        same = ("title", "text", "code", "month", "owner", "score", "views", "duplicate_of")
        for name in (*same, "tags", "tag_sets", "accepted_answer_id"):
            assert row[name] == known[name], name
        assert row["tag_set"] == known["tag_sets"][0]
        assert row["created_at"].isoformat() == known["created_at"]
        assert (row["closed_at"] and row["closed_at"].isoformat()) == known["closed_at"]
        assert (row["closed_reason"] is None) == (known["closed_at"] is None)
        mine = tables["raw.answers"].filter(question_id=number)
        assert sorted(mine["answer_id"]) == sorted(known["answers"])
        accepted = mine.filter("is_accepted")["created_at"].to_list()
        expected = [] if known["accepted_at"] is None else [known["accepted_at"]]
        assert [moment.isoformat() for moment in accepted] == expected
        assert comments.get(number, 0) == known["comments"]


def test_a_dump_that_is_known_is_neither_read_nor_stored_again(dump, tmp_path) -> None:
    mined(tmp_path, forum_of(dump))
    assert mined(tmp_path, forum_of(dump)) == []


def test_what_was_read_and_rejected_is_noted(tmp_path) -> None:
    row = '<row Id="1" PostTypeId="1" Tags="|tensorkit|" CreationDate="2020-01-01" />'
    good = QUESTION.format(id=7).replace("tensorkit", "tensorkit&gt;&lt;gradlib")
    forum = forum_of(posts(f"{good}\n{row}\n<row Id='2'", tmp_path))
    mined(tmp_path / "home", forum)
    with open_warehouse(tmp_path / "home" / "warehouse.duckdb") as database:
        rejects = database.frame("FROM raw.rejected_posts ORDER BY byte_offset")
        (read,) = database.frame("FROM meta.dump_loads").to_dicts()
    assert rejects["reason"].to_list() == ["it has no Title", "the row is cut: it has no end"]
    assert (read["rejected"], read["questions"], read["file"]) == (2, 1, "Posts")


def test_a_tag_that_no_question_of_the_dump_has_is_reported(dump, tmp_path) -> None:
    with pytest.raises(
        PerfAssetsError, match=r"gradlib: no question in .* has a tag gradlib: check"
    ):
        mined(tmp_path / "home", forum_of(posts(QUESTION.format(id=1), tmp_path)))
    with open_warehouse(tmp_path / "home" / "warehouse.duckdb") as database:
        assert database.frame("FROM raw.questions")["question_id"].to_list() == [1]


def test_the_api_and_the_dump_give_the_same_rows(dump, site, tmp_path) -> None:
    mined(tmp_path / "dump", forum_of(dump))
    with UnreliableForum({SITE: site}) as server:
        mined(tmp_path / "api", forum_of(api_url=server.url))
    # A dump has milliseconds where the API has seconds.
    moments = ("created_at", "last_activity_at", "closed_at", "source")
    ways = [stored(tmp_path / way, *moments) for way in ("dump", "api")]
    assert_same(*ways)


@pytest.mark.parametrize("seed", some(*range(50)))
def test_a_refresh_equals_a_fresh_load_whatever_goes_wrong(seed, plan, site, tmp_path) -> None:
    """An older dump and the API after it, twice, against the API alone."""
    times = sorted(question.touched for question in plan.studied)
    early = written(tmp_path / "early", plan, times[len(times) // 3])
    later = read_site(written(tmp_path / "later", plan, times[2 * len(times) // 3]))
    faults = Faults(seed, 0.3)
    with UnreliableForum({SITE: later}, faults=faults) as server:
        forum = forum_of(early, server.url)
        assert not list(failures(mined(tmp_path / "both", forum)))
        server.sites[SITE] = site
        assert not list(failures(mined(tmp_path / "both", forum)))
        assert not any(request.is_impolite for request in server.requests)
    with UnreliableForum({SITE: site}) as server:
        mined(tmp_path / "fresh", forum_of(api_url=server.url))
    left_out = ("source", "created_at", "last_activity_at", "closed_at")
    ways = [stored(tmp_path / way, *left_out) for way in ("both", "fresh")]
    # A comment is not an activity: what came after the dump to a question that rests since is not
    # read.
    known, fresh = (way.pop("raw.question_comments") for way in ways)
    assert_same(*ways)
    assert known.join(fresh, on=known.columns, how="anti", nulls_equal=True).is_empty()


def test_months_that_an_older_dump_adds_are_not_known_after_a_refresh_before_them(
    plan, site, tmp_path
) -> None:
    times = sorted(question.touched for question in plan.studied)
    early = written(tmp_path / "early", plan, times[len(times) // 2])
    later = read_site(written(tmp_path / "later", plan, times[2 * len(times) // 3]))
    with UnreliableForum({SITE: later}) as server:
        mined(tmp_path / "both", forum_of(api_url=server.url, start="2020-04"))
        server.sites[SITE] = site
        mined(tmp_path / "both", forum_of(api_url=server.url, start="2020-04"))
        assert not list(failures(mined(tmp_path / "both", forum_of(early, server.url))))
        mined(tmp_path / "fresh", forum_of(api_url=server.url))
    left_out = ("source", "created_at", "last_activity_at", "closed_at")
    ways = [stored(tmp_path / way, *left_out) for way in ("both", "fresh")]
    # A comment is not an activity: what came after the dump to a question that rests since is not
    # read.
    known, fresh = (way.pop("raw.question_comments") for way in ways)
    assert_same(*ways)
    assert known.join(fresh, on=known.columns, how="anti", nulls_equal=True).is_empty()


def test_a_refresh_costs_what_changed(site, tmp_path) -> None:
    with UnreliableForum({SITE: site}) as server:
        forum = forum_of(api_url=server.url)
        mined(tmp_path, forum)
        first = len(server.requests)
        outcomes = mined(tmp_path, forum)
        # For each tag set: the filter, its tags, the newest, what changed (and its answers).
        assert len(server.requests) - first <= 7 * len(forum.tag_sets) < first
    assert not any(outcome.is_written for outcome in outcomes)


def test_what_is_not_activity_is_found_when_months_are_read_again(site, tmp_path) -> None:
    number = min(n for n, q in site.questions.items() if "tensorkit" in q["tags"])
    gone = max(n for n, q in site.questions.items() if "tensorkit" in q["tags"])
    questions = {n: q for n, q in site.questions.items() if n != gone}
    questions[number] = {**questions[number], "score": 1234}
    with UnreliableForum({SITE: site}) as server:
        forum = forum_of(api_url=server.url)
        mined(tmp_path, forum)
        server.sites[SITE] = Site(questions, site.answers)
        mined(tmp_path, forum)
        before = stored(tmp_path)["raw.questions"]
        mined(tmp_path, forum, reconcile_months=1)
        after = stored(tmp_path)["raw.questions"]
    assert gone in before["question_id"] and gone not in after["question_id"]
    assert before.filter(question_id=number)["score"].item() != 1234
    assert after.filter(question_id=number)["score"].item() == 1234


def test_a_question_that_changes_its_tag_set_is_never_stored_twice(site, tmp_path) -> None:
    number = min(n for n, q in site.questions.items() if q["tags"] == ["gradlib"])
    moment = max(q["last_activity_date"] for q in site.questions.values()) + 5
    changed = {**site.questions[number], "tags": ["tensorkit"], "last_activity_date": moment}
    moved = Site({**site.questions, number: changed}, site.answers)
    with UnreliableForum({SITE: site}) as server:
        forum = forum_of(api_url=server.url)
        mined(tmp_path / "refreshed", forum)
        server.sites[SITE] = moved
        assert not list(failures(mined(tmp_path / "refreshed", forum)))
        mined(tmp_path / "fresh", forum)
    rows = stored(tmp_path / "refreshed")["raw.questions"].filter(question_id=number)
    assert rows["tag_set"].to_list() == ["tensorkit"]
    assert_same(stored(tmp_path / "refreshed"), stored(tmp_path / "fresh"))


def test_a_newer_dump_takes_the_place_of_an_older_one_but_not_of_what_is_newer(
    plan, dump, site, tmp_path
) -> None:
    times = sorted(question.touched for question in plan.studied)
    early = written(tmp_path / "early", plan, times[len(times) // 2])
    mined(tmp_path / "home", forum_of(early))
    mined(tmp_path / "home", forum_of(dump))
    mined(tmp_path / "fresh", forum_of(dump))
    assert_same(stored(tmp_path / "home"), stored(tmp_path / "fresh"))
    with UnreliableForum({SITE: site}) as server:
        mined(tmp_path / "asked", forum_of(api_url=server.url))
        mined(tmp_path / "asked", forum_of(early, server.url))
    assert set(stored(tmp_path / "asked")["raw.questions"]["source"]) == {"api"}


@settings(max_examples=10, deadline=None)
@given(st.sets(st.sampled_from(["tensorkit", "tensorkit-lite", "gradlib", "python"]), min_size=1))
def test_a_question_stands_with_the_first_of_its_tag_sets(tags) -> None:
    forum = forum_of()
    labels = [tag_set.label for tag_set in forum.sets_of(tags)]
    assert labels == [
        label
        for label, words in (
            ("tensorkit", {"tensorkit", "tensorkit-lite"}),
            ("gradlib", {"gradlib"}),
        )
        if words & tags
    ]
