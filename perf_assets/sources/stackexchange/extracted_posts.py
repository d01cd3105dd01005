"""Posts of a dump as they are stored: those of a tag set, out of its extract."""

from collections.abc import Sequence

import polars as pl

from perf_assets.config.forums import Forum, TagSet
from perf_assets.schema.frames import registered
from perf_assets.sources.posts import PostBatch, as_stored
from perf_assets.sources.stackexchange.extract import Extract

QUESTIONS = """
SELECT
    q.* REPLACE (list_transform(q.tags, lambda tag: lower(tag)) AS tags),
    strftime(q.created_at, '%Y-%m') AS month,
    coalesce(
        (SELECT list(DISTINCT d.duplicate_of ORDER BY d.duplicate_of)
         FROM duplicates AS d WHERE d.question_id = q.question_id), []
    ) AS duplicate_of,
    CASE WHEN q.closed_at IS NOT NULL THEN
        (SELECT max_by(c.reason, c.moment) FROM closings AS c WHERE c.question_id = q.question_id)
    END AS closed_reason
FROM questions AS q
WHERE list_contains(?, strftime(q.created_at, '%Y-%m'))
"""
ANSWERS = "SELECT a.* FROM answers AS a SEMI JOIN chosen USING (question_id)"
COMMENTS = """
SELECT c.*, chosen.question_id FROM comments AS c JOIN chosen ON c.post_id = chosen.question_id
UNION ALL
SELECT c.*, a.question_id
FROM comments AS c JOIN answers AS a ON c.post_id = a.answer_id
SEMI JOIN chosen ON a.question_id = chosen.question_id
"""


def of_extract(extract: Extract, forum: Forum, tag_set: TagSet, months: Sequence[str]) -> PostBatch:
    """Return the dump's posts of ``tag_set`` in ``months``, without those of earlier tag sets."""
    questions = extract.frame(QUESTIONS, [list(months)])
    mine = [forum.set_of(set(tags)) == tag_set for tags in questions.get_column("tags").to_list()]
    questions = questions.filter(pl.Series(mine, dtype=pl.Boolean))
    with registered(extract.connection, "chosen", questions.select("question_id")):
        answers, comments = extract.frame(ANSWERS), extract.frame(COMMENTS)
    return as_stored(forum, tag_set, questions, answers, comments, "dump")
