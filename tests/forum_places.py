"""Small forums on the disk, and what is read of them."""

from dataclasses import replace
from pathlib import Path
from random import Random

import polars as pl

from perf_assets.config.forums import Forum
from perf_assets.sources.stackexchange.dump import read_dump
from perf_assets.sources.stackexchange.extract import COLUMNS, open_extract
from perf_assets.stand_ins.generator.forum.dump import write_dump
from perf_assets.stand_ins.generator.forum.plan import TAG_SETS, plan_forum
from perf_assets.stand_ins.generator.forum.plan import Forum as Planned
from perf_assets.stand_ins.generator.planner import Calendar

START, MONTHS = "2020-01", 6
SITE = "stackoverflow"

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
QUESTION = (
    '<row Id="{id}" PostTypeId="1" CreationDate="2020-01-02T00:00:00.000" Score="1" '
    'Body="&lt;p&gt;Why?&lt;/p&gt;" Title="Why" Tags="&lt;tensorkit&gt;" AnswerCount="1" '
    'ViewCount="3" LastActivityDate="2020-01-03T00:00:00.000" />'
)
ANSWER = (
    '<row Id="{id}" PostTypeId="2" ParentId="{parent}" CreationDate="2020-01-03T00:00:00.000" '
    'Score="1" Body="&lt;p&gt;So.&lt;/p&gt;" />'
)


def planned(questions: int = 60, seed: int = 0) -> Planned:
    """A forum of so many questions of the study, over :data:`MONTHS` months."""
    return plan_forum(Random(seed), Calendar(START, MONTHS), questions)


def written(directory: Path, forum: Planned, moment: int | None = None) -> Path:
    """The dump of ``forum``, as it was at ``moment`` if that is given."""
    write_dump(forum if moment is None else as_of(forum, moment), directory)
    return directory


def as_of(forum: Planned, moment: int) -> Planned:
    """The forum as it was at ``moment`` (milliseconds since 1970): what came later is not there."""
    questions = [
        replace(
            question,
            answers=[answer for answer in question.answers if answer.at <= moment],
            comments=[comment for comment in question.comments if comment.at <= moment],
            closed=question.closed if question.closed and question.closed[0] <= moment else None,
        )
        for question in forum.questions
        if question.at <= moment
    ]
    for question in questions:
        if question.closed is None:
            question.duplicate_of = None
        for answer in question.answers:
            answer.comments = [one for one in answer.comments if one.at <= moment]
    return Planned(questions, [(at, kind) for at, kind in forum.others if at <= moment])


def forum_of(
    dump: Path | None = None, api_url: str | None = None, start: str = START, end: str = "2020-06"
) -> Forum:
    """The forum of a study with the tag sets of the generator."""
    return Forum(
        name=SITE,
        tags=dict(TAG_SETS),
        start=start,
        end=end,
        dump=dump and str(dump),
        api_url=api_url,
    )


def posts(text: str, directory: Path) -> Path:
    """A Posts.xml of these rows."""
    path = directory / "Posts.xml"
    path.write_text(f"{HEAD}{text}\n</posts>\n", encoding="utf-8")
    return path


def extracted(dump: Path, path: Path) -> dict[str, pl.DataFrame]:
    """All that is taken out of ``dump``, kept at ``path``."""
    with open_extract(path) as extract:
        read_dump(forum_of(dump), extract)
        return {table: extract.frame(f"FROM {table} ORDER BY ALL") for table in COLUMNS}
