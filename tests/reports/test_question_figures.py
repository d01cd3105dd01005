"""Figures of kinds of questions: curves as Kaplan and Meier have them, and nothing of too few."""

from datetime import UTC, datetime, timedelta

import pytest

from perf_assets.core.statistics.survival import Durations, kaplan_meier_shares
from perf_assets.reports.figures import shown
from tests.model_database import ModelDatabase
from tests.question_rows import (
    PERFORMANCE,
    PROGRAM_CRASH,
    answer,
    question,
    question_kind,
    tag_set,
)
from tests.rows import Row

WAITS = "intermediate.question_answer_times"
END = datetime(2020, 3, 1, tzinfo=UTC)


def rows_of(kind: str, waited: list[tuple[float, bool]], first: int) -> dict[str, list[Row]]:
    """Questions that were accepted after so many hours, or watched for so long without."""
    rows: dict[str, list[Row]] = {"raw.questions": [], "raw.answers": []}
    for number, (hours, is_accepted) in enumerate(waited, first):
        asked = END - timedelta(hours=200 if is_accepted else hours)
        accepted = number + 1000 if is_accepted else None
        rows["raw.questions"].append(question(number, asked, accepted_answer_id=accepted))
        if accepted:
            given = asked + timedelta(hours=hours)
            rows["raw.answers"].append(answer(accepted, number, given, is_accepted=True))
    rows["labels.question_kinds"] = [
        question_kind(number, kind) for number in range(first, first + len(waited))
    ]
    return rows


@pytest.mark.slow
def test_curves_are_those_of_kaplan_and_meier_and_too_few_have_neither_curve_nor_box() -> None:
    waited = [(1.0, True), (2.0, True), (3.0, False), (9.0, True), (20.0, True), (30.0, False)]
    waited += [(50.0, True), (80.0, True), (99.0, False), (0.0, False)]
    tables: dict[str, list[Row]] = {"meta.tag_sets": [tag_set()]}
    for rows in (
        rows_of(PROGRAM_CRASH, waited, 1),
        rows_of(PERFORMANCE, [(1.0, True), (5.0, True), (5.0, False)], 100),
    ):
        for table, part in rows.items():
            tables.setdefault(table, []).extend(part)
    database = ModelDatabase()
    database.fill(tables)
    found = shown(database.connection, WAITS)
    assert found is not None
    curve, boxes = found.panels
    drawn = {value["hours"]: value["percent"] / 100 for value in curve["data"]["values"]}
    times = [hours for hours, is_accepted in waited if is_accepted]
    cases = Durations([hours for hours, _ in waited], [event for _, event in waited])
    expected = dict(zip(times, kaplan_meier_shares(cases, times), strict=True))
    assert drawn == pytest.approx(expected, rel=1e-4)
    assert {value["color"] for value in curve["data"]["values"]} == {"program crash"}
    (box,) = boxes["data"]["values"]
    assert (box["color"], box["p50"]) == ("program crash", 14.5)
    assert found.sentences[1] == (
        "stackoverflow: performance: 1 of 3 questions had no accepted answer by the end of the "
        "data; too few had one to say how soon"
    )
