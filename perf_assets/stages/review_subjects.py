"""What a review sheet can be about: how its rows are drawn, identified, and judged."""

from dataclasses import dataclass, replace

from perf_assets.sources.review_sheets.sheet import (
    BUG_REPORTS,
    ENDORSEMENTS,
    FINDINGS,
    QUESTIONS,
    Form,
)
from perf_assets.sources.review_sheets.verdicts import judged_columns
from perf_assets.storage.verdicts import ENDORSEMENTS as ENDORSEMENT_VERDICTS
from perf_assets.storage.verdicts import FINDINGS as FINDING_VERDICTS
from perf_assets.storage.verdicts import QUESTIONS as QUESTION_VERDICTS
from perf_assets.storage.verdicts import TABLE


@dataclass(frozen=True)
class Review:
    """How subjects of one form of sheet are drawn, identified and judged.

    table : of the verdicts.
    key : the columns that identify a subject.
    drawn : all subjects with the given columns of the sheet, and is_performance but for findings.
    links : the web address of each subject, or the path of each finding, by its key.
    in_force : the rows of the verdicts of a rater that are in force.
    labelled : what subjects of performance are called in sentences.
    """

    form: Form
    table: str
    key: tuple[str, str]
    drawn: str
    links: str
    in_force: str
    labelled: str

    @property
    def answers(self) -> tuple[str, ...]:
        """The columns that hold what a rater says."""
        others = (*self.key, "line")
        return tuple(name for name in judged_columns(self.table) if name not in others)


BUGS = Review(
    BUG_REPORTS,
    TABLE,
    ("repository", "number"),
    """
    select
        repository, number, bugs.title, bugs.html_url as link, bugs.is_performance,
        bugs.matched_labels, bugs.matched_keywords as keywords, bugs.matched_in, labels.rule_version
    from staging.bug_reports as bugs
    inner join labels.performance_labels as labels using (repository, number)
    where bugs.dataset = 'live'
    """,
    "select repository, number, html_url from staging.bug_reports where dataset = 'live'",
    "select * from staging.verdicts where rater = ?",
    "labelled performance bugs",
)
FIXED = replace(
    BUGS,
    drawn=f"""{BUGS.drawn}
    and (repository, number) in (
        select (repository, number) from marts.bug_metrics where dataset = 'live' and is_fixed
    )
    """,
    labelled="fixed performance bugs",
)
QUESTION_REVIEW = Review(
    QUESTIONS,
    QUESTION_VERDICTS,
    ("forum", "question_id"),
    """
    select
        forum, question_id, asked.title, asked.html_url as link, labels.is_performance,
        stored.tag_set, stored.tags, labels.matched_stems as stems, labels.matched_in,
        labels.rule_version, answers.body_html as answer
    from staging.questions as asked
    inner join raw.questions as stored using (forum, question_id)
    inner join labels.performance_questions as labels using (forum, question_id)
    left join (
        select forum, question_id, min_by(answer_id, answered_at) as answer_id
        from intermediate.question_endorsements
        group by forum, question_id
    ) as endorsed using (forum, question_id)
    left join raw.answers as answers
        on asked.forum = answers.forum
        and coalesce(asked.accepted_answer_id, endorsed.answer_id) = answers.answer_id
    """,
    "select forum, question_id, html_url from staging.questions",
    "select * from staging.question_verdicts where rater = ?",
    "labelled performance questions",
)
FOUND = Review(
    FINDINGS,
    FINDING_VERDICTS,
    ("repository", "finding_id"),
    """
    select
        repository, finding_id, rule, severity, path, line, code, message,
        coalesce(
            repositories.file_url || sha || '/' || replace(url_encode(path), '%2F', '/')
                || '#L' || line,
            ''
        ) as link
    from raw.static_findings
    left join meta.repositories as repositories using (repository)
    where month = (
        select max(trees.month) from raw.scanned_trees as trees
        where trees.repository = static_findings.repository
    )
    """,
    "select distinct repository, finding_id, path from raw.static_findings",
    "select * from staging.finding_verdicts where rater = ?",
    "findings",
)
ENDORSED = Review(
    ENDORSEMENTS,
    ENDORSEMENT_VERDICTS,
    ("forum", "comment_id"),
    """
    select
        forum, comment_id, asked.title, asked.html_url as link, answers.body_html as answer,
        comments.body as comment, endorsements.endorsement, endorsements.matched_words
    from intermediate.question_endorsements as endorsements
    inner join staging.questions as asked using (forum, question_id)
    inner join raw.answers as answers using (forum, question_id, answer_id)
    inner join raw.question_comments as comments using (forum, question_id, comment_id)
    where asked.accepted_answer_id is null
    """,
    """
    select forum, comment_id, html_url
    from intermediate.question_endorsements
    inner join staging.questions using (forum, question_id)
    """,
    """
    select * from reviews.endorsement_verdicts where rater = ?
    qualify row_number() over (partition by forum, comment_id order by verdict_id desc) = 1
    """,
    "endorsements",
)
REVIEWS = {review.form: review for review in (BUGS, QUESTION_REVIEW, FOUND, ENDORSED)}
