"""The stated figures of the study of challenges: beside a forum where one is loaded, else open."""

from typing import Any

import polars as pl
import pytest

from perf_assets.core.paper.challenges import NO_POSTS
from perf_assets.core.paper.printed import CHALLENGES
from perf_assets.schema import schema_of
from perf_assets.sources.replication.papers import papers
from tests.core.paper.printed_tables import by_figure

pytestmark = pytest.mark.usefixtures("without_minimum")

GROUPS = schema_of("intermediate.question_groups")
WAITS = schema_of("intermediate.question_answer_times")
QUALITY = schema_of("analysis.question_kind_quality")
NO_FORUM = (
    f"{NO_POSTS}, and no forum with the tag sets tensorflow, pytorch, deeplearning4j is loaded to "
    "compare with"
)
NO_KINDS = (
    f"{NO_POSTS}, and no questions of the forum were classified by people to learn kinds from"
)


def compared(
    groups: list[dict[str, Any]], waits: list[dict[str, Any]], quality: pl.DataFrame | None = None
) -> dict[str, dict[str, Any]]:
    tables = {
        "intermediate.question_groups": pl.DataFrame(groups, GROUPS),
        "intermediate.question_answer_times": pl.DataFrame(waits, WAITS),
        "analysis.question_kind_quality": QUALITY.to_frame() if quality is None else quality,
    }
    rows = by_figure(papers()[CHALLENGES], tables)
    return {figure.removeprefix("challenges."): row for figure, row in rows.items()}


def posted(
    question_id: int, tag_set: str, kind: str = "all", month: str = "2018-01", forum: str = "so"
) -> dict[str, Any]:
    row = {"forum": forum, "question_id": question_id, "tag_set": tag_set}
    return {**row, "kind": kind, "month": month}


def wait(question_id: int, hours: float | None, forum: str = "so") -> dict[str, Any]:
    row = {"forum": forum, "question_id": question_id, "month": "2018-01"}
    is_known = hours is not None
    row |= {"is_answered": is_known, "is_accepted": is_known, "hours_watched": 500.0}
    return {**row, "hours_to_accepted": hours, "hours_to_first_answer": hours}


def forum() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    groups = [
        posted(1, "tensorflow"),
        posted(1, "pytorch"),
        posted(2, "pytorch"),
        posted(3, "deeplearning4j"),
        posted(4, "keras"),
        posted(5, "tensorflow", month="2019-01"),
    ]
    return groups, [wait(1, 2.0), wait(2, 3.0), wait(3, None), wait(4, 9.0), wait(5, 9.0)]


def test_without_a_forum_nothing_but_arithmetic_is_derivable() -> None:
    found = compared([posted(1, "tensorflow"), posted(1, "pytorch")], [wait(1, 2.0)])
    derived = {name for name, row in found.items() if row["verdict"] != "not_derivable"}
    assert derived == {"sample.needed", "against_itself.questions"}
    assert found["sample.needed"]["verdict"] == "within_rounding"
    assert found["questions.pooled"]["reason"] == NO_FORUM
    assert found["sample.inspected"]["reason"] == NO_POSTS
    assert found["views.pytorch.median"]["reason"] == NO_FORUM
    assert len(found) == 35


def test_a_forum_with_the_tags_of_the_study_is_compared_over_months_that_it_can_have_seen() -> None:
    found = compared(*forum())
    counts = {
        name.removeprefix("questions."): row["reproduced"]
        for name, row in found.items()
        if name.startswith("questions.")
    }
    assert counts == {"pooled": 3, "tensorflow": 1, "pytorch": 2, "deeplearning4j": 1}
    row = found["questions.pooled"]
    assert (row["verdict"], row["dataset"], row["published"]) == ("differs", "live", 39_628)
    assert row["reason"].startswith("of so as it is now, questions until 2018-12, the month of the")
    assert "(the rows add up to 4)" in row["reason"]
    assert "deleted" in found["questions.pytorch"]["reason"]
    assert "add up" not in found["questions.pytorch"]["reason"]


def test_the_total_of_the_study_is_the_sum_of_its_rows() -> None:
    row = compared(*forum())["against_itself.questions"]
    assert (row["reproduced"], row["verdict"]) == (39_628, "exact")
    assert "once for each" in row["reason"]


def test_views_are_compared_with_those_of_the_same_tag_set_and_said_to_grow_where_they_do() -> None:
    groups, waits = forum()
    waits = [{**row, "views": 100 * row["question_id"]} for row in waits]
    found = compared(groups, waits)
    values = {
        name.removeprefix("views."): found[name]["reproduced"]
        for name in found
        if name.startswith("views.pytorch") or name == "views.tensorflow.maximum"
    }
    assert values == {
        "tensorflow.maximum": 100,
        "pytorch.maximum": 200,
        "pytorch.upper_quartile": 175,
        "pytorch.median": 150,
    }
    assert "views go on growing" in found["views.pytorch.median"]["reason"]
    fewer = found["views.pytorch.maximum"]
    assert fewer["difference"] < 0
    assert "growing" not in fewer["reason"] and "deleted" in fewer["reason"]


def test_performance_is_compared_with_all_other_categories_and_averages_in_both_readings() -> None:
    groups, waits = forum()
    groups += [posted(1, "tensorflow", "performance"), posted(1, "pytorch", "performance")]
    found = compared(groups, [{**wait(2, 1.0)}, wait(1, 8.0), *waits[2:]])
    # Without the one about performance: one of two was accepted, after an hour.
    assert found["accepted.other"]["reproduced"] == 50
    assert found["accepted.performance"]["reproduced"] == 100
    for reading in ("mean", "median"):
        row = found[f"hours.other.{reading}"]
        assert (row["reproduced"], row["published"]) == (1.0, 2.5)
        assert f"read as the {reading}: all kinds but performance" in row["quantity"]


def test_figures_of_kinds_need_kinds() -> None:
    groups, waits = forum()
    found = compared(groups, waits)
    assert found["hours.performance.mean"]["reason"] == NO_KINDS
    assert found["accepted.other"]["reason"] == NO_KINDS
    assert found["accepted.lowest"]["reason"] == NO_KINDS
    assert found["classifier.precision"]["reason"] == NO_KINDS
    kinds = [posted(2, "pytorch", "performance"), posted(3, "deeplearning4j", "installation")]
    found = compared([*groups, *kinds], waits)
    assert found["hours.performance.median"]["reproduced"] == 3.0
    assert found["hours.program_crash.mean"]["reason"] == NO_KINDS
    # All of the one were accepted, none of the other.
    assert found["accepted.lowest"]["reproduced"] == 2
    assert found["accepted.lowest"]["verdict"] == "differs"
    assert found["hours.longest.median"]["verdict"] == "exact"
    assert found["accepted.highest"]["reason"] == NO_KINDS


def test_the_classifier_is_compared_by_its_mean_over_the_kinds() -> None:
    rows = [
        {"forum": "so", "method": "weights", "variant": variant, "split": "stratified"}
        | {"kind": kind, "precision": precision, "recall": 0.8}
        for variant, kind, precision in (
            ("default", "macro", 0.796),
            ("default", "performance", 0.1),
            ("with code", "macro", 0.2),
            ("as its code weighs", "macro", 0.7),
        )
    ]
    found = compared(*forum(), pl.DataFrame(rows, QUALITY))
    precision, recall = found["classifier.precision"], found["classifier.recall"]
    assert precision["reproduced"] == pytest.approx(79.6)
    assert precision["verdict"] == "within_rounding"
    assert recall["verdict"] == "exact"
    assert "of other questions than the study's" in precision["reason"]
    assert found["classifier.precision.as_its_code"]["reproduced"] == pytest.approx(70)


def test_of_several_forums_the_first_with_all_tags_is_taken() -> None:
    groups, waits = forum()
    other = [{**row, "forum": "another"} for row in groups[:2]]
    assert compared([*groups, *other], waits)["questions.pooled"]["reproduced"] == 3
