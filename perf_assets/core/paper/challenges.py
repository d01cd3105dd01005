"""Choose the forum that the study of challenges is compared with: one with the same tags.

Zhang et al. (ISSRE 2019). Its posts, of the dump of December 2018, and the kinds that its authors
gave them are a download that is not read here.
"""

from collections.abc import Mapping

import polars as pl

from perf_assets.core.questions.difficulty import question_difficulty

TAG_SETS = ("tensorflow", "pytorch", "deeplearning4j")
"""The tags of the study, each a tag set of the forum that it is compared with."""

LAST_MONTH = "2018-12"
"""The last month of its dump of Stack Overflow (section II-B)."""

NO_POSTS = (
    "the study's posts are a download, which its repository "
    "github.com/tianyi-zhang/deep-learning-stack-overflow links to and which is not read here"
)


def challenges_tables(
    groups: pl.DataFrame, waits: pl.DataFrame, quality: pl.DataFrame
) -> tuple[dict[str, pl.DataFrame], Mapping[str, object]]:
    """Return the tables that the queries of ``challenges.yml`` read, and words for its texts.

    They are of the first forum by name that has all of :data:`TAG_SETS`, of these alone, up to the
    last month that the study can have seen.

    Parameters
    ----------
    groups, waits, quality : ``intermediate.question_groups``,
        ``intermediate.question_answer_times`` and ``analysis.question_kind_quality``.
    """
    tag_sets: dict[str, set[str]] = {}
    for forum, tag_set in groups.select("forum", "tag_set").unique().iter_rows():
        tag_sets.setdefault(forum, set()).add(tag_set)
    chosen = min((name for name, sets in tag_sets.items() if sets >= set(TAG_SETS)), default=None)
    seen = groups.filter(
        pl.col("forum") == (chosen or ""),
        pl.col("tag_set").is_in(TAG_SETS),
        pl.col("month") <= LAST_MONTH,
    )
    tables = {
        "difficulty": question_difficulty(seen, waits),
        "quality": quality.filter(forum=chosen or ""),
    }
    return tables, {
        "no_posts": NO_POSTS,
        "no_forum": None if chosen else ", ".join(TAG_SETS),
        "now": f"of {chosen} as it is now, questions until {LAST_MONTH}",
    }
