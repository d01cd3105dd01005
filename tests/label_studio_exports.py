"""What Label Studio would export of tasks, in both formats, with answers that are given."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from perf_assets.sources.review_sheets.label_studio import ANSWERS, read_tasks, tasks_text
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from tests.review_sheets import LINKS, SHEET, bug_to_judge

Answers = Mapping[str, str]
MADE = {"created_at": "2026-03-09T22:16:08.728353Z", "updated_at": "2026-03-09T22:16:08.728378Z"}


def tasks_of(count: int, **changes: Any) -> list[dict[str, Any]]:
    """Tasks of so many bug reports, numbered from 1."""
    bugs = [bug_to_judge(n, body="It takes <b>long</b>", **changes) for n in range(1, count + 1)]
    tasks: list[dict[str, Any]] = json.loads(tasks_text(pl.DataFrame(bugs)))
    return tasks


def result(name: str, text: str) -> dict[str, Any]:
    kind = "text" if name == "note" else "choices"
    of_type = "textarea" if name == "note" else "choices"
    return {
        "id": "Dx_aB91ISN",
        "from_name": name,
        "to_name": "body",
        "type": of_type,
        "origin": "manual",
        "value": {kind: [text]},
    }


def annotation(answers: Answers, **changes: Any) -> dict[str, Any]:
    """An annotation with the ``answers`` that are not empty."""
    made = {
        "id": 1,
        "completed_by": 7,
        "result": [result(name, text) for name, text in answers.items() if text],
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 4.288,
        **MADE,
    }
    return {**made, **changes}


def exported(tasks: Sequence[Mapping[str, Any]], *answers: Answers) -> list[dict[str, Any]]:
    """The ``tasks`` as JSON has them; one whose answers are all empty is not annotated."""
    return [
        {
            "id": 100 + number,
            "annotations": [annotation(given)] if any(given.values()) else [],
            "drafts": [],
            "predictions": [],
            "data": task["data"],
            "meta": {},
            "project": 3,
        }
        for number, (task, given) in enumerate(zip(tasks, answers, strict=True), start=1)
    ]


def exported_flat(tasks: Sequence[Mapping[str, Any]], *answers: Answers) -> list[dict[str, Any]]:
    """The ``tasks`` as JSON-MIN has them."""
    rows = []
    for number, (task, given) in enumerate(zip(tasks, answers, strict=True), start=1):
        filled = {name: given[name] for name in ANSWERS if given.get(name)}
        made = {"annotator": 7, "annotation_id": number, "lead_time": 4.288, **MADE}
        nobody = dict.fromkeys(made) | {"annotator": {}}
        rows.append({**task["data"], "id": 100 + number, **filled, **(made if filled else nobody)})
    return rows


def verdicts_of_tasks(content: object) -> list[dict[str, Any]]:
    """The verdicts of an export, given as a value of JSON or as bytes."""
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    return read_verdicts(SHEET, read_tasks(SHEET, content), LINKS).to_dicts()
