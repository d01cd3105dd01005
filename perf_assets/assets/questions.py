"""The users' side: questions of forums and the decisions on them, by tag set and month."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.assets.asking import Asked
from perf_assets.assets.factory import partitioned_asset, stored
from perf_assets.forums import TagSet
from perf_assets.sources.stackexchange.posts import TABLES
from perf_assets.stages.mining.questions import REJECTS, mine_questions
from perf_assets.storage.gate import Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.study import Study

FORUM = "stackexchange"  # the kind of every asset that is by tag set and month


def question_assets(
    study: Study, home: Home, longest_wait: float
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """The questions of the study's tag sets, and what is decided of them; none without forums."""

    def questions(
        gate: Gate, tag_set: TagSet, months: list[str], asked: Asked
    ) -> Iterator[Outcome]:
        verify_months = study.verify_months if asked.is_verifying else None
        forum = study.forum_of(tag_set)
        return mine_questions(gate, forum, tag_set, months, verify_months, longest_wait)

    if not study.forums:
        return []
    return [
        partitioned_asset(
            stored("forum_questions", *TABLES, kinds=[FORUM]),
            study.tag_sets,
            home,
            questions,
            "Questions with answers and comments, from a forum's dump and its API.",
        ),
        *stored("post_rejects", REJECTS, kinds=[FORUM]).specs(),
    ]
