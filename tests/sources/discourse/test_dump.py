"""A folder of answers of Discourse gives what its API gives, and costs no request."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from pydantic import ValidationError

from perf_assets.archive.study_copy import copy_study
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.forums import Forum
from perf_assets.config.study import load_study
from perf_assets.sources.discourse import folder as reading
from perf_assets.sources.forums import QuestionSource, open_questions
from perf_assets.sources.posts import TABLES
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stages.preflight import preflight
from perf_assets.stand_ins.discourse.server import DiscourseServer
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.forum_places import planned, written

HOST = "discuss.example.org"
TAGS = {"kit": ["tensorkit"], "gpu": ["category:gpu", "gradlib"], "usage": ["category:usage"]}
CATEGORIES = {
    "categories": [
        {"id": 2, "slug": "gpu", "parent_category_id": 1},
        {"id": 1, "slug": "usage"},
        {"id": "odd"},
        {"id": 8, "slug": "a", "parent_category_id": 9},
        {"id": 9, "slug": "b", "parent_category_id": 8},
    ]
}
Tables = dict[str, pl.DataFrame]


@pytest.fixture(scope="module")
def plan():
    return planned(40)


@pytest.fixture(scope="module")
def site(plan, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return read_site(written(tmp_path_factory.mktemp("forum"), plan))


def kept(folder: Path, site: Site, chunk: int = 20, categories: object = None) -> Path:
    """A folder of the answers of a forum, those on further posts in files of their own."""
    server = DiscourseServer(site, chunk=chunk)
    whole = server.content("categories.json", [("include_subcategories", "true")])
    write(folder / "categories.json", categories or whole)
    for number in site.questions:
        topic = server.content(f"t/{number}.json", [])
        assert topic is not None
        write(folder / "t" / f"{number}.json", topic)
        further = [("post_ids[]", str(post)) for post in topic["post_stream"]["stream"][chunk:]]
        for start in range(0, len(further), 2):
            posts = server.content(f"t/{number}/posts.json", further[start : start + 2])
            write(folder / "t" / str(number) / f"posts_{start}.json", posts)
    return folder


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def change(path: Path, by: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    by(content)
    write(path, content)


def forum_of(tags: dict[str, list[str]] | None = None, **where: object) -> Forum:
    table = {"name": HOST, "kind": "discourse", "tags": tags or TAGS, "start": "2020-01"}
    return Forum(**{**table, "end": "2020-06", **where})


def source(folder: Path, *tags: str) -> QuestionSource:
    forum = forum_of({"x": list(tags)}, dump=str(folder))
    return open_questions(forum, forum.tag_sets[0], RequestPolicy())


def mined(data_dir: Path, forum: Forum) -> list[str]:
    """Mine a forum; return the months that were stored."""
    directory = DataDirectory.of(data_dir)
    months = []
    with open_warehouse(directory.warehouse) as database:
        writer = AuditedWriter(database, directory)
        for tag_set in forum.tag_sets:
            for outcome in mine_questions(writer, forum, tag_set, tag_set.months):
                assert outcome.failure is None
                months.append(outcome.month)
    return months


def stored(data_dir: Path) -> Tables:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        return {
            table: database.frame(f"FROM {table} ORDER BY ALL").drop("loaded_at", strict=False)
            for table in TABLES
        }


def assert_same(one: Tables, other: Tables, *but: str) -> None:
    for table in TABLES:
        frames = [way[table].drop(but, strict=False).sort(pl.all()) for way in (one, other)]
        assert_frame_equal(*frames)


@pytest.mark.slow
@pytest.mark.usefixtures("trusting_auditor")
@pytest.mark.parametrize(("chunk", "categories"), [(20, None), (1, CATEGORIES)])
def test_a_folder_gives_the_same_tables_as_the_api(chunk, categories, site, tmp_path) -> None:
    with DiscourseServer(site) as server:
        mined(tmp_path / "api", forum_of(api_url=server.url))
    folder = kept(tmp_path / "folder", site, chunk, categories)
    mined(tmp_path / "dump", forum_of(dump=str(folder)))
    tables = stored(tmp_path / "dump")
    assert tables[TABLES[0]].height == len(site.questions)
    assert_same(stored(tmp_path / "api"), tables, "html_url", "source")
    assert tables[TABLES[0]]["source"].unique().to_list() == ["dump"]
    assert tables[TABLES[0]]["html_url"].str.starts_with(f"https://{HOST}/t/").all()


@pytest.mark.slow
@pytest.mark.usefixtures("trusting_auditor")
def test_a_folder_that_changed_ends_in_the_rows_of_a_fresh_load(plan, site, tmp_path) -> None:
    times = sorted(question.touched for question in plan.studied)
    early = read_site(written(tmp_path / "early", plan, times[len(times) // 2]))
    folder = kept(tmp_path / "folder", early)
    forum = forum_of(dump=str(folder))
    mined(tmp_path / "both", forum)
    assert mined(tmp_path / "both", forum) == []
    kept(folder, site)
    gone, liked, moved = sorted(early.questions)[:3]
    (folder / "t" / f"{gone}.json").unlink()
    likes = [{"id": 2, "count": 1234}]
    change(
        folder / "t" / f"{liked}.json",
        lambda topic: topic["post_stream"]["posts"][0].update(actions_summary=likes),
    )
    change(folder / "t" / f"{moved}.json", lambda topic: topic.update(tags=["gradlib"]))
    assert mined(tmp_path / "both", forum)
    assert mined(tmp_path / "both", forum) == []
    mined(tmp_path / "fresh", forum)
    tables = stored(tmp_path / "both")
    assert gone not in tables[TABLES[0]]["question_id"]
    assert 1234 in tables[TABLES[0]]["score"]
    assert_same(tables, stored(tmp_path / "fresh"))


@pytest.mark.slow
@pytest.mark.usefixtures("trusting_auditor")
def test_months_after_the_last_activity_are_not_taken_for_empty(site, tmp_path) -> None:
    folder = kept(tmp_path / "folder", site)
    forum = forum_of(dump=str(folder), end="2020-12")
    assert "2020-12" not in mined(tmp_path / "data", forum)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "EOF"),
        (b"[" * 100_000, "recursion"),
        (b"[]", "neither a topic with posts nor categories"),
        (b'{"topic_list": {"topics": []}}', "neither a topic with posts nor categories"),
        (b'{"id": 1, "title": 7, "post_stream": {"posts": []}}', "title: input should be"),
        (b'{"id": "1", "post_stream": {"posts": []}}', "id: input should be"),
        (b" " * 2_000_000, "more than 1,000,000 bytes"),
    ],
)
def test_an_odd_file_costs_itself(content, why, site, tmp_path, caplog, monkeypatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000_000)
    folder = kept(tmp_path, site)
    (folder / "odd.json").write_bytes(content)
    one = source(folder)
    batches = [one.month(month).batch for month in one.tag_set.months]
    assert sum(batch.questions.height for batch in batches) == len(site.questions)
    assert "odd.json: left out: " in caplog.text and why in caplog.text


def test_an_odd_post_costs_itself(site, tmp_path, caplog) -> None:
    number = min(site.questions)
    folder = kept(tmp_path, site)
    posts = [7, {"id": [1]}, {"id": 5, "post_number": "2"}]
    change(
        folder / "t" / f"{number}.json",
        lambda topic: topic["post_stream"]["posts"].extend(posts),
    )
    one = source(folder)
    questions = [n for m in one.tag_set.months for n in one.month(m).batch.questions["question_id"]]
    assert number in questions
    assert caplog.text.count("left out post: ") == len(posts)


def test_links_and_pipes_are_left_out(site, tmp_path, caplog) -> None:
    outside = kept(tmp_path / "outside", site)
    folder = tmp_path / "folder"
    first, second = sorted(site.questions)[:2]
    write(folder / "1.json", json.loads((outside / "t" / f"{first}.json").read_text()))
    (folder / "2.json").symlink_to(outside / "t" / f"{second}.json")
    (folder / "all").symlink_to(outside)
    os.mkfifo(folder / "pipe.json")
    assert source(folder).access == "1 topics"
    assert "2.json: left out: only files are read" in caplog.text


def test_the_latest_of_two_answers_counts_and_lists_hide_messages(site, tmp_path) -> None:
    folder = kept(tmp_path, site)
    first, second, third = sorted(site.questions)[:3]
    old = json.loads((folder / "t" / f"{first}.json").read_text())
    stream = {"posts": [{**old["post_stream"]["posts"][0], "id": 9, "post_number": 99}]}
    early = {"title": "old", "last_posted_at": old["created_at"], "post_stream": stream}
    change(
        folder / "t" / f"{first}.json",
        lambda topic: topic.update(title="new", last_posted_at="2020-06-01T00:00:00Z"),
    )
    write(folder / "z.json", {**old, **early})
    change(folder / "t" / f"{second}.json", lambda topic: topic.update(visible=False))
    change(folder / "t" / f"{third}.json", lambda topic: topic.update(archetype="private_message"))
    one = source(folder)
    batches = [one.month(month).batch for month in one.tag_set.months]
    questions = pl.concat([batch.questions for batch in batches])
    assert questions.filter(question_id=first)["title"].to_list() == ["new"]
    assert not questions["question_id"].is_in([second, third]).any()
    assert not any(9 in batch.answers["answer_id"] for batch in batches)


def test_posts_of_the_latest_answer_count_whether_or_not_its_stream_names_them(
    site, tmp_path
) -> None:
    folder = kept(tmp_path, site)
    for path in (folder / "t").glob("*.json"):
        change(path, lambda topic: topic["post_stream"].update(stream=[1]))
    one = source(folder)
    batches = [one.month(month).batch for month in one.tag_set.months]
    assert sum(batch.answers.height for batch in batches) == len(site.answers)


def test_posts_that_no_file_has_are_counted(site, tmp_path, caplog) -> None:
    folder = kept(tmp_path, site, chunk=1)
    posts = sorted((folder / "t").glob("*/posts_*.json"))
    lacking = sum(len(json.loads(p.read_text())["post_stream"]["posts"]) for p in posts)
    for path in posts:
        path.unlink()
    one = source(folder)
    batches = [one.month(month).batch for month in one.tag_set.months]
    one.close()
    assert sum(batch.questions.height for batch in batches) == len(site.questions)
    assert f"name {lacking} posts that no file has" in caplog.text


def test_a_category_without_a_name_is_reported(site, tmp_path) -> None:
    folder = kept(tmp_path, site)
    source(folder, "category:gpu").check_tags()
    (folder / "categories.json").unlink()
    source(folder, "tensorkit").check_tags()
    with pytest.raises(PerfAssetsError, match=r"which category category:gpu is: put the answer of"):
        source(folder, "category:gpu", "tensorkit").check_tags()


@pytest.mark.parametrize("tag", ["tensorkitt", "category:nowhere"])
def test_an_unknown_tag_or_category_is_reported(tag, site, tmp_path) -> None:
    with pytest.raises(PerfAssetsError, match=f"has no tag or category {tag}: check the tags"):
        source(kept(tmp_path, site), tag).check_tags()


@pytest.mark.parametrize("name", ["", "nowhere", "file.json"])
def test_a_folder_without_topics_is_reported(name, tmp_path) -> None:
    write(tmp_path / "file.json", {})
    with pytest.raises(PerfAssetsError, match=r"answers? of /t/ID.json"):
        source(tmp_path / name, "tensorkit").check_tags()


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ({"dump": "folder", "api_url": "https://x.org"}, "an api_url or a dump; give one of them"),
        ({}, "an api_url or a dump; give one of them"),
        ({"dump": "folder", "site": "pytorch"}, "need the host of the forum"),
    ],
)
def test_a_forum_that_does_not_fit_together_is_refused(where, why) -> None:
    with pytest.raises(ValidationError, match=why):
        forum_of(**where)


def test_the_requirements_name_the_folder_and_an_archive_names_the_forum(site, tmp_path) -> None:
    kept(tmp_path / "answers", site)
    tags = "tags = { kit = ['tensorkit'] }\nstart = '2020-01'\n"
    text = f"name = 's'\n[[forums]]\nname = '{HOST}'\nkind = 'discourse'\ndump = 'answers'\n{tags}"
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    study = load_study(str(tmp_path / "study.toml"))
    said: list[str] = []
    directory = DataDirectory.of(tmp_path / "data")
    assert preflight(study, directory, said.append)
    folder = tmp_path / "answers"
    assert said == [f"{HOST}: read from {folder} with {len(site.questions)} topics"]
    copy = copy_study(study, directory)
    assert copy.local_sources == (HOST,)
    (content,) = copy.files.values()
    assert f'api_url = "https://{HOST}"' in content.decode() and "answers" not in content.decode()
