"""Rows of questions, answers and what is decided of them: good ones, otherwise as a test wants.

A moment may be a text (2020-01-05, with or without a time) or a datetime.
"""

from typing import Any

from tests.rows import REPOSITORY, RULES, Moment, Row

FORUM, TAG_SET = "stackoverflow", "tensorflow"
PROGRAM_CRASH, PERFORMANCE = "program_crash", "performance"


def tag_set(label: str = TAG_SET, **changes: Any) -> Row:
    row = {
        "forum": FORUM,
        "tag_set": label,
        "tags": [label],
        "position": 1,
        "start_month": "2020-01",
        "repository": None,
        "study": "test",
    }
    return {**row, **changes}


def question(question_id: int, asked_at: Moment, **changes: Any) -> Row:
    label = changes.get("tag_set", TAG_SET)
    row = {
        "forum": FORUM,
        "question_id": question_id,
        "tag_set": label,
        "tag_sets": [label],
        "tags": [label],
        "title": f"Question {question_id}",
        "body_html": "<p>Text</p>",
        "text": "Text",
        "code": None,
        "score": 1,
        "views": 100,
        "answers": 0,
        "owner": "7",
        "created_at": asked_at,
        "last_activity_at": asked_at,
        "accepted_answer_id": None,
        "duplicate_of": [],
        "source": "dump",
        "html_url": f"https://stackoverflow.com/q/{question_id}",
        "month": str(asked_at)[:7],
        "loaded_at": "2021-01-01T00:00:00Z",
    }
    return {**row, **changes}


def answer(answer_id: int, question_id: int, given: Moment, **changes: Any) -> Row:
    row = {
        "forum": FORUM,
        "answer_id": answer_id,
        "question_id": question_id,
        "tag_set": TAG_SET,
        "is_accepted": False,
        "score": 1,
        "owner": "8",
        "created_at": given,
        "body_html": "<p>Answer</p>",
        "month": "2020-01",
    }
    return {**row, **changes}


def comment(comment_id: int, question_id: int, post_id: int, body: str, **changes: Any) -> Row:
    """A comment on a post of a question, by default of the question's asker."""
    row = {
        "forum": FORUM,
        "comment_id": comment_id,
        "question_id": question_id,
        "post_id": post_id,
        "tag_set": TAG_SET,
        "score": 0,
        "owner": "7",
        "created_at": "2020-01-15T00:00:00Z",
        "body": body,
        "month": "2020-01",
    }
    return {**row, **changes}


def question_kind(question_id: int, kind: str, **changes: Any) -> Row:
    row = {
        "forum": FORUM,
        "question_id": question_id,
        "kind": kind,
        "kind_score": 1.0,
        "is_assigned": True,
        "method": "people",
        "model_version": "1",
    }
    return {**row, **changes}


def word_weight(word: str, kind: str = PERFORMANCE, **changes: Any) -> Row:
    """A row of labels.question_word_weights."""
    row = {
        "forum": FORUM,
        "kind": kind,
        "word": word,
        "written_form": word,
        "word_rank": 1,
        "questions": 3,
        "occurrences": 4,
        "weight": 0.25,
        "keywords": [],
        "keyword_set": "packaged",
        "alpha": 0.01,
        "model_version": "weights-packaged-1",
    }
    return {**row, **changes}


def performance_question(question_id: int, *, is_performance: bool = True, **changes: Any) -> Row:
    stems = ["slower"] if is_performance else []
    row = {
        "forum": FORUM,
        "question_id": question_id,
        "tag_set": TAG_SET,
        "is_performance": is_performance,
        "matched_stems": stems,
        "is_performance_as_published": is_performance,
        "matched_stems_as_published": stems,
        "matched_in": ["title"] if is_performance else [],
        "rule_version": RULES,
        "month": "2020-01",
    }
    return {**row, **changes}


def question_verdict(verdict_id: int, rater: str, question_id: int, **changes: Any) -> Row:
    """What a rater said of a question, by default that it is about performance."""
    row = {
        "verdict_id": verdict_id,
        "rater": rater,
        "forum": FORUM,
        "question_id": question_id,
        "problem": 1,
        "verdict": "yes",
        "kinds": [],
        "imported_at": "2026-01-01",
        "file": "a.csv",
        "file_sha256": "a" * 64,
        "line": verdict_id + 1,
    }
    return {**row, **changes}


def group_difficulty(kind: str, **changes: Any) -> Row:
    """A row of marts.question_difficulty."""
    row = {
        "forum": FORUM,
        "tag_set": TAG_SET,
        "kind": kind,
        "month": "2020-01",
        "questions": 4,
        "accepted": 1,
        "accepted_share": 0.25,
        "median_hours_to_accepted": 2.0,
        "mean_hours_to_accepted": 3.0,
        "answered": 2,
        "answered_share": 0.5,
        "median_hours_to_first_answer": 1.0,
        "mean_hours_to_first_answer": 1.5,
        "median_views": 90.0,
        "median_score": 0.5,
    }
    return {**row, **changes}


def whole_difficulty(kind: str, **changes: Any) -> Row:
    """A row of analysis.question_difficulty."""
    row = {
        "forum": FORUM,
        "tag_set": TAG_SET,
        "kind": kind,
        "first_month": "2020-01",
        "last_month": "2020-02",
        "questions": 4,
        "question_share": 1.0,
        "question_share_low": 0.51,
        "question_share_high": 1.0,
        "question_rank": None if kind in ("all", "other") else 1,
        "accepted": 1,
        "accepted_share": 0.25,
        "accepted_share_low": 0.05,
        "accepted_share_high": 0.7,
        "accepted_rank": None if kind in ("all", "other") else 1,
        "unaccepted": 3,
        "median_hours_to_accepted": 2.0,
        "mean_hours_to_accepted": 2.0,
        "lower_quartile_hours_to_accepted": 2.0,
        "upper_quartile_hours_to_accepted": 2.0,
        "wait_rank": None if kind in ("all", "other") else 1,
        "n_accepted_or_waiting": 4,
        "km_median_hours_to_accepted": 5.0,
        "km_median_hours_to_accepted_low": 2.0,
        "km_median_hours_to_accepted_high": 9.0,
        "km_accepted_within_1_hour": 0.0,
        "km_accepted_within_1_day": 0.25,
        "km_accepted_within_30_days": 0.25,
        "endorsed": 1,
        "resolved": 2,
        "resolved_share": 0.5,
        "resolved_share_low": 0.15,
        "resolved_share_high": 0.85,
        "median_hours_to_resolved": 2.5,
        "mean_hours_to_resolved": 2.5,
        "km_median_hours_to_resolved": 4.0,
        "answered": 2,
        "answered_share": 0.5,
        "answered_share_low": 0.15,
        "answered_share_high": 0.85,
        "median_hours_to_first_answer": 1.0,
        "mean_hours_to_first_answer": 1.5,
        "n_answered_or_waiting": 4,
        "km_median_hours_to_first_answer": 2.0,
        "km_median_hours_to_first_answer_low": 1.0,
        "km_median_hours_to_first_answer_high": 3.0,
        "km_answered_within_1_hour": 0.25,
        "km_answered_within_1_day": 0.5,
        "km_answered_within_30_days": 0.5,
        "median_views": 90.0,
        "mean_views": 120.0,
        "upper_quartile_views": 130.0,
        "maximum_views": 200,
        "median_score": 0.5,
        "mean_score": 0.75,
        "confidence": 0.95,
        "result": "25.0 % of 4 questions have an accepted answer",
    }
    return {**row, **changes}


def kind_quality(kind: str, **changes: Any) -> Row:
    """A row of analysis.question_kind_quality."""
    measures = {
        f"{measure}{limit}": value
        for measure in ("precision", "recall", "f1")
        for limit, value in (("", 0.8), ("_low", 0.7), ("_high", 0.9))
    }
    row = {
        "forum": FORUM,
        "method": "regression",
        "variant": "default",
        "split": "stratified",
        "kind": kind,
        "n": 30,
        "support": 12,
        **measures,
        "f1_difference": 0.1,
        "f1_difference_low": 0.0,
        "f1_difference_high": 0.2,
        "confidence": 0.95,
        "replicates": 1000,
        "parameters": "{}",
        "is_default": True,
        "is_chosen": True,
        "result": "F1 0.80 [0.70, 0.90]",
    }
    return {**row, **changes}


def both_sides_month(month: str, **changes: Any) -> Row:
    """A row of marts.questions_vs_bugs_monthly."""
    row = {
        "repository": REPOSITORY,
        "forum": FORUM,
        "month": month,
        "is_complete": True,
        "questions": 40,
        "performance_questions": 8,
        "checked_performance_questions": 4,
        "confirmed_performance_questions": 3,
        "answered_performance_questions": 6,
        "accepted_performance_questions": 2,
        "performance_question_share": 0.2,
        "bug_reports": 10,
        "performance_bugs": 3,
        "fixed_performance_bugs": 1,
        "performance_bug_share": 0.3,
    }
    return {**row, **changes}


def lag_correlation(lag: int, **changes: Any) -> Row:
    """A row of analysis.question_bug_correlation."""
    row = {
        "repository": REPOSITORY,
        "forum": FORUM,
        "lag": lag,
        "first_month": "2016-01",
        "last_month": "2021-12",
        "n": 60,
        "method": "spearman",
        "parameters": "{}",
        "statistic": 0.5,
        "low": 0.1,
        "high": 0.9,
        "band": 0.4,
        "confidence": 0.95,
        "is_outside_band": True,
        "result": f"performance questions {lag} months before performance bugs",
    }
    return {**row, **changes}
