"""Writes what the plan of a forum knows: what a right run over its dump must arrive at."""

import csv
import json
from pathlib import Path

from perf_assets.stand_ins.generator.forum.dump import moment_of
from perf_assets.stand_ins.generator.forum.plan import Forum, Question


def write_truth(forum: Forum, directory: Path) -> None:
    """Write ``questions.jsonl`` into ``directory``: a line for each question of the study."""
    with (directory / "questions.jsonl").open("w", encoding="utf-8") as file:
        for question in forum.studied:
            file.write(json.dumps(truth_of(question), ensure_ascii=False) + "\n")


def write_labelled(forum: Forum, path: Path) -> None:
    """Write the questions whose kinds people gave, a line for each question and kind."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("question_id", "kind"))
        for question in forum.studied:
            if question.is_labelled:
                writer.writerows((question.number, kind) for kind in question.kinds)


def truth_of(question: Question) -> dict[str, object]:
    """Return the expected row of ``question``."""
    there = [answer for answer in question.answers if not answer.is_deleted]
    accepted = question.accepted
    return {
        "question_id": question.number,
        "tag_sets": list(question.tag_sets),
        "tags": list(question.tags),
        "title": question.text.title,
        "text": question.text.plain,
        "code": "\n\n".join(question.text.code) or None,
        "month": f"{moment_of(question.at):%Y-%m}",
        "created_at": moment_of(question.at).isoformat(),
        "kinds": list(question.kinds),
        "is_labelled": question.is_labelled,
        "is_performance": question.text.has_stem,
        "owner": str(question.owner) if question.owner is not None else question.name,
        "score": question.score,
        "views": question.views,
        "answers": [answer.number for answer in there],
        "first_answer_at": min(
            (moment_of(answer.at).isoformat() for answer in there), default=None
        ),
        "accepted_answer_id": accepted.number if accepted else None,
        "accepted_at": (
            moment_of(accepted.at).isoformat() if accepted and not accepted.is_deleted else None
        ),
        "endorsed_answer_id": question.endorsed.number if question.endorsed else None,
        "closed_at": moment_of(question.closed[0]).isoformat() if question.closed else None,
        "duplicate_of": [question.duplicate_of.number] if question.duplicate_of else [],
        "comments": len(question.comments) + sum(len(answer.comments) for answer in there),
    }
