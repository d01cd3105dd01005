"""Questions of a forum and their labels, made by hand."""

from typing import Any

from tests.rows import RULES, Row


def question(number: int, month: str, text: str, **changes: Any) -> Row:
    row = {
        "forum": "so",
        "question_id": number,
        "tag_set": "keras",
        "tag_sets": ["keras"],
        "tags": ["keras"],
        "title": "Keras",
        "body_html": text,
        "text": text,
        "score": 0,
        "views": 0,
        "answers": 0,
        "created_at": f"{month}-05",
        "last_activity_at": f"{month}-05",
        "duplicate_of": [],
        "source": "dump",
        "html_url": f"https://stackoverflow.com/q/{number}",
        "month": month,
        "loaded_at": "2021-01-01",
    }
    return {**row, **changes}


def tag_set() -> Row:
    """The tag set to which the questions belong."""
    names = {"forum": "so", "tag_set": "keras", "tags": ["keras"], "place": 1}
    return {**names, "start_month": "2020-01", "study": "test"}


def performance_question(number: int, *stems: str, published: int = 0, **changes: Any) -> Row:
    """The decision on a question with these ``stems``, of which the first are as published too."""
    row = {
        "forum": "so",
        "question_id": number,
        "tag_set": "keras",
        "is_performance": bool(stems),
        "matched_stems": list(stems),
        "is_performance_as_published": bool(published),
        "matched_stems_as_published": list(stems[:published]),
        "matched_in": ["text"] if stems else [],
        "rule_version": RULES,
        "month": "2020-01",
    }
    return {**row, **changes}


def question_verdict(verdict_id: int, rater: str, question: int, **changes: Any) -> Row:
    """What a rater said of a question, by default that it is about performance."""
    row = {
        "verdict_id": verdict_id,
        "rater": rater,
        "forum": "so",
        "question_id": question,
        "problem": 1,
        "verdict": "yes",
        "kinds": [],
        "imported_at": "2026-01-01",
        "file": "a.csv",
        "file_sha256": "a" * 64,
        "line": verdict_id + 1,
    }
    return {**row, **changes}
