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
