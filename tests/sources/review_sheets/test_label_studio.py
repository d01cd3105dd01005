"""Tasks of Label Studio: what goes out, and what its exports bring back."""

import json
import random
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import from_spreadsheet
from perf_assets.core.reviews.codebook import IMPACTS, VERDICTS
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.sources.review_sheets.label_studio import (
    ANSWERS,
    is_label_studio,
    labelling_configuration,
    read_tasks,
)
from perf_assets.sources.review_sheets.older_codebooks import remarks_on
from perf_assets.sources.review_sheets.sheet import read_sheet
from tests.damaged_inputs.damage import spoilt
from tests.label_studio_exports import (
    annotation,
    exported,
    exported_flat,
    result,
    tasks_of,
    verdicts_of_tasks,
)
from tests.review_sheets import SHEET, YES, sheet, verdicts_of
from tests.rows import REPOSITORY

NO = {"is_performance": "no"}
CAUSES = [code.name for code in codebook().descriptions]
FORMATS = (exported, exported_flat)
Export = list[dict[str, Any]]

# A sheet takes an apostrophe before what could be a formula for the one that it put there itself.
notes = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20).filter(
    lambda note: from_spreadsheet(note) == note
)
of_performance = st.fixed_dictionaries(
    {
        "is_performance": st.just("yes"),
        "category": st.sampled_from(["", *CAUSES]),
        "impact": st.sampled_from(["", *IMPACTS]),
        "note": notes,
    }
)
others = st.fixed_dictionaries({"is_performance": st.sampled_from(["no", "unsure"]), "note": notes})
answered = st.lists(of_performance | others | st.just({}), min_size=1, max_size=5)


def refusal(content: object) -> str:
    """The sentence by which ``content`` is refused."""
    with pytest.raises(PerfAssetsError) as error:
        verdicts_of_tasks(content)
    assert "\n" not in str(error.value)
    return str(error.value)


@given(answered, st.sampled_from(FORMATS))
def test_answers_give_the_verdicts_that_a_sheet_gives(
    answers: list[dict[str, str]], export: Callable[..., Export]
) -> None:
    found = verdicts_of_tasks(export(tasks_of(len(answers)), *answers))
    assert found == verdicts_of(sheet(*answers))


def test_tasks_have_the_texts_as_they_are_without_what_is_not_text() -> None:
    (task,) = tasks_of(1, title="a\x00\u202eb <script>", matched_labels=["slow", "gpu"])
    assert task == {
        "data": {
            "repository": REPOSITORY,
            "number": 1,
            "title": "ab <script>",
            "body": "It takes <b>long</b>",
            "link": f"https://github.com/{REPOSITORY}/issues/1",
            "codebook": str(codebook().revision),
        }
    }


def test_the_configuration_asks_in_the_words_of_the_codebook() -> None:
    view = ElementTree.fromstring(labelling_configuration())
    choices = {
        asked.attrib["name"]: [choice.attrib["value"] for choice in asked]
        for asked in view.iter("Choices")
    }
    assert choices == {
        "is_performance": list(VERDICTS),
        "category": CAUSES,
        "impact": list(IMPACTS),
    }
    (note,) = view.iter("TextArea")
    assert (*choices, note.attrib["name"]) == ANSWERS
    shown = {each.attrib.get("value", "").removeprefix("$") for each in view.iter()}
    (task,) = tasks_of(1)
    assert {"title", "body", "link"} <= shown & task["data"].keys()
    # Nothing says what the tool found: raters judge without it.
    assert {"labels", "keywords"}.isdisjoint(shown | task["data"].keys())
    # Nothing shows a text of a stranger as markup, or fetches what it names.
    assert {each.tag for each in view.iter()}.isdisjoint(("HyperText", "Image", "Markdown"))
    assert {each.attrib["valueType"] for each in view.iter("Text")} == {"text"}


def test_an_export_is_known_by_its_content() -> None:
    assert is_label_studio(b"\xef\xbb\xbf \r\n[")
    assert not is_label_studio(sheet(YES).encode("utf-8-sig"))
    assert not is_label_studio(b"")
    content = b"\xef\xbb\xbf" + json.dumps(exported(tasks_of(1), YES)).encode()
    assert len(verdicts_of_tasks(content)) == 1


def test_tasks_that_went_out_are_not_judged_yet() -> None:
    assert verdicts_of_tasks(tasks_of(3)) == []


def test_cancelled_annotations_do_not_count() -> None:
    one, two = exported(tasks_of(2), YES, NO)
    one["annotations"][0]["was_cancelled"] = True
    # Whoever skips a task that somebody judged says nothing of it.
    two["annotations"].append(annotation({}, completed_by=8, was_cancelled=True))
    assert [row["number"] for row in verdicts_of_tasks([one, two])] == [2]


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ({"updated_at": "2026-01-02T00:00:00Z"}, {"updated_at": "2026-01-01T00:00:00Z"}, "yes"),
        ({"updated_at": "2026-01-01T00:00:00Z"}, {"updated_at": "2026-01-02T00:00:00Z"}, "no"),
        ({"updated_at": None}, {"updated_at": "2026-01-02T00:00:00Z"}, "yes"),
        # The same moment, and the same in another time zone.
        ({}, {}, "no"),
        (
            {"updated_at": "2026-01-02T01:00:00+02:00"},
            {"updated_at": "2026-01-01T23:30:00"},
            "no",
        ),
    ],
)
def test_of_several_annotations_of_a_task_the_last_one_counts(
    first: dict[str, Any], second: dict[str, Any], verdict: str
) -> None:
    (task,) = exported(tasks_of(1), {})
    task["annotations"] = [annotation(YES, **first), annotation(NO, **second)]
    assert [row["verdict"] for row in verdicts_of_tasks([task])] == [verdict]
    flat = [exported_flat(tasks_of(1), answer)[0] for answer in (YES, NO)]
    records = [{**flat[0], **first}, {**flat[1], **second}]
    assert [row["verdict"] for row in verdicts_of_tasks(records)] == [verdict]


@pytest.mark.parametrize("who", [8, "bob@example.org", {"id": 8, "email": "b@example.org"}, None])
def test_annotations_by_several_people_are_refused(who: object) -> None:
    (task,) = exported(tasks_of(1), YES)
    task["annotations"].append(annotation(NO, completed_by=who))
    assert "task 1, key completed_by: is " in (message := refusal([task]))
    assert "export the annotations of one annotator" in message
    apart = exported(tasks_of(2), YES, NO)
    apart[1]["annotations"][0]["completed_by"] = who
    assert "task 2, key completed_by: is " in refusal(apart)
    flat = exported_flat(tasks_of(2), YES, NO)
    flat[1]["annotator"] = who
    assert "where an annotation of task 1 is by '7'" in refusal(flat)


def test_a_person_is_the_same_by_number_and_as_an_object() -> None:
    tasks = exported(tasks_of(2), YES, NO)
    tasks[1]["annotations"][0]["completed_by"] = {"id": 7, "email": "ann@example.org"}
    assert len(verdicts_of_tasks(tasks)) == 2


def test_a_note_of_several_lines_is_one_note() -> None:
    tasks = exported(tasks_of(1), YES)
    tasks[0]["annotations"][0]["result"] += [result("note", "one"), result("note", "two")]
    flat = exported_flat(tasks_of(1), YES)
    flat[0]["note"] = [{"text": ["one", "two"]}]
    assert [row["note"] for row in verdicts_of_tasks(tasks)] == ["one\ntwo"]
    assert [row["note"] for row in verdicts_of_tasks(flat)] == ["one\ntwo"]


def test_other_controls_of_a_project_are_left_out() -> None:
    (task,) = exported(tasks_of(1), YES)
    task["annotations"][0]["result"].append({"from_name": "stars", "value": {"rating": 3}})
    assert len(verdicts_of_tasks([task])) == 1


def test_tasks_of_an_older_codebook_name_what_it_may_have_put_elsewhere() -> None:
    answers = {**YES, "category": "Other"}
    older = exported(tasks_of(1, codebook="1"), answers)
    (remark,) = remarks_on(read_tasks(SHEET, json.dumps(older).encode()))
    assert remark.startswith("1 of category 'Other' of an older codebook")


def changed(where: str, value: object) -> Export:
    """An export of two tasks with another value at ``where`` in the second."""
    tasks = exported(tasks_of(2), YES, {**YES, "impact": "speed"})
    holder: Any = tasks[1]
    *way, last = [int(part) if part.isdigit() else part for part in where.split()]
    for part in way:
        holder = holder[part]
    holder[last] = value
    return tasks


MADE_IN = "annotations 0"
ASKED = f"{MADE_IN} result 0"
CASES = [
    ("data", [], "key data: is not an object"),
    ("data repository", None, "key repository: is missing; keep the data"),
    ("data repository", 5, "key repository: is not text"),
    ("data number", "one", "key number: 'one' is not the number of an issue"),
    ("data number", 1.0, "key number: is not a whole number"),
    ("data number", 10**40, "key number: is not a whole number"),
    ("data number", True, "key number: is not a whole number"),
    ("data number", 99, "key number: owner/name#99 is not a stored bug report"),
    ("data number", 1, "key link: is not that of owner/name#1"),
    ("data link", "https://example.org", "key link: is not that of owner/name#2"),
    ("data codebook", {}, "key codebook: is not a whole number"),
    ("annotations", 5, "key annotations: is not a list of objects"),
    ("annotations", [17], "key annotations: is not a list of objects"),
    (f"{MADE_IN} was_cancelled", "no", "key was_cancelled: is neither true nor false"),
    (f"{MADE_IN} completed_by", [], "key completed_by: names nobody"),
    (f"{MADE_IN} result", {}, "key result: is not a list of objects"),
    (f"{MADE_IN} result", [{"from_name": "kind"}], "key from_name: answers none of is_perf"),
    (f"{ASKED} value", {"choices": ["maybe"]}, "key is_performance: 'maybe' is unknown"),
    (f"{ASKED} value", {"choices": ["yes", "no"]}, "key is_performance: has 2 choices"),
    (f"{ASKED} value", {"choices": [True]}, "key is_performance: has choices that are not text"),
    (f"{ASKED} value", None, "key is_performance: has choices that are not text"),
    (f"{ASKED} value", {"choices": ["no"]}, "key impact: is only for performance bugs"),
    (f"{ASKED} from_name", "kind", "key is_performance: is empty although impact is filled in"),
]


@pytest.mark.parametrize(("where", "value", "words"), CASES)
def test_a_mistake_is_named_where_it_stands(where: str, value: object, words: str) -> None:
    message = refusal(changed(where, value))
    assert message.startswith(f"sheet.csv, task 2, {words}")
    assert message.endswith("; nothing was imported")


def test_a_bug_report_that_is_there_twice_is_refused() -> None:
    for export in FORMATS:
        one, two = export(tasks_of(1) * 2, YES, NO)
        assert "task 2, key number: #1 is in task 1 already" in refusal([one, two])


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ({"updated_at": "lately"}, "key updated_at: 'lately' is not a time"),
        ({"updated_at": 5}, "key updated_at: '5' is not a time"),
        ({"updated_at": None, "created_at": None}, "key updated_at: is missing, by which"),
    ],
)
def test_annotations_without_a_time_are_in_no_order(when: dict[str, Any], words: str) -> None:
    (task,) = exported(tasks_of(1), YES)
    task["annotations"].append(annotation(NO, **when))
    assert f"task 1, {words}" in refusal([task])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[]", "not a list of tasks"),
        (b"[", "not valid JSON (EOF while parsing a list"),
        (b'["\xf6"]', "not valid UTF-8"),
        (b"[5]", "task 1: is not a task of a project"),
        (b"[{}]", "task 1, key repository: is missing"),
        (b"[" * 100_000, "not valid JSON (recursion limit exceeded"),
        (b"[" * 900 + b'"\\ud800"' + b"]" * 900, "not valid JSON (it is too deep to read)"),
        (b"[" + b"9" * 5000 + b"]", "not valid JSON (number out of range"),
        (b"[NaN]", "not valid JSON"),
    ],
)
def test_what_is_not_an_export_is_refused_in_one_sentence(content: bytes, words: str) -> None:
    assert refusal(content).startswith(f"sheet.csv, {words}" if "task 1" in words else "sheet.csv:")
    assert words in refusal(content)


KEYS = ("data", "annotations", "result", "from_name", "value", "id", *ANSWERS, *tasks_of(1)[0])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


def imported_or_refused(content: bytes) -> None:
    reader = verdicts_of_tasks if is_label_studio(content) else lambda read: read_sheet(SHEET, read)
    try:
        reader(content)
    except PerfAssetsError as error:
        assert "\n" not in str(error)


@given(json_values)
def test_any_json_is_imported_or_refused_in_one_sentence(value: object) -> None:
    for content in (value, [value]):
        imported_or_refused(json.dumps(content).encode("utf-8", "surrogatepass"))


@given(st.integers(0, 2**32), st.sampled_from(FORMATS))
def test_a_spoilt_export_is_imported_or_refused_in_one_sentence(
    seed: int, export: Callable[..., Export]
) -> None:
    cause = {**YES, "category": "Other", "impact": "both", "note": "x"}
    value = spoilt(export(tasks_of(3), cause, NO, {}), random.Random(seed))
    imported_or_refused(json.dumps(value).encode("utf-8", "surrogatepass"))
