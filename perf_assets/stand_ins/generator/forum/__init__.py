"""Generates the dump of a forum: questions of known kinds, and everything that could go wrong."""

from pathlib import Path
from random import Random

from perf_assets.stand_ins.generator.forum.dump import write_dump
from perf_assets.stand_ins.generator.forum.plan import TAG_SETS, plan_forum
from perf_assets.stand_ins.generator.forum.truth import write_labelled, write_truth
from perf_assets.stand_ins.generator.planner import Calendar

FORUM = "stackoverflow"
FORUM_DIRECTORY = "forum"
LABELLED_FILE = "labelled.csv"


def write_forum(directory: Path, truth: Path, calendar: Calendar, questions: int, seed: int) -> str:
    """Write a forum of so many questions of the study below ``directory``, and its ``truth``.

    Returns
    -------
    Its table in the study file.
    """
    posts = plan_forum(Random(f"forum {seed}"), calendar, questions)
    forum_directory = directory / FORUM_DIRECTORY
    write_dump(posts, forum_directory)
    write_labelled(posts, forum_directory / LABELLED_FILE)
    write_truth(posts, truth)
    tags = ", ".join(f"{label} = {list(tags)!r}".replace("'", '"') for label, tags in TAG_SETS)
    return (
        "\n[[forums]]\n"
        f'name = "{FORUM}"\n'
        f"tags = {{ {tags} }}\n"
        f'start = "{calendar.names[0]}"\n'
        f'end = "{calendar.names[-1]}"\n'
        f'dump = "{FORUM_DIRECTORY}"\n'
        f'labelled = "{FORUM_DIRECTORY}/{LABELLED_FILE}"\n'
    )
