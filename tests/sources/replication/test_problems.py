"""The published performance problems as a source: both of its forms, its spellings, its faults."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import schema_of
from perf_assets.sources.replication.problems import PLAIN, PUBLISHED, read_problems
from tests.paths import PROBLEMS

ROW = (
    "65160023_1",
    "2020-12-06T01:43:50.000Z",
    "Why is Keras slow?",
    "https://stackoverflow.com/questions/65160023",
    "build model",
    "training",
    "Time: slow execution time",
    "",
    "Model: confusion with computation model",
)
NAMES = ("id", "created", "title", "url", "introducing", "exposing", "first", "second", "cause")


def row(**changes: str) -> list[str]:
    return list({**dict(zip(NAMES, ROW, strict=True)), **changes}.values())


def plain(*rows: list[str]) -> str:
    return "".join(",".join(cells) + "\n" for cells in (PLAIN, *rows))


def as_published(*rows: list[str]) -> str:
    """The form of the authors: a comment, empty columns, a byte order mark, no last line end."""
    wide = ([*cells[:4], "slow, they say", *cells[4:], *[""] * 19] for cells in rows)
    quoted = (",".join(f'"{cell}"' if cell else "" for cell in cells) for cells in wide)
    return "\ufeff" + "\r\n".join([",".join(PUBLISHED), *quoted])


def read(path: Path, text: str) -> tuple[list[dict[str, object]], list[tuple[int, str]]]:
    path.write_text(text, encoding="utf-8", newline="")
    rows, rejects = read_problems(path, accept_changes=True)
    assert rows.schema == schema_of("replication.problems")
    return rows.to_dicts(), [(reject.line, reject.reason) for reject in rejects]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "problems.csv"


def test_the_words_of_the_file_become_those_of_the_codebook(path: Path) -> None:
    rows = (row(), row(id="65160023_2", first="Unkown", second="Memory: MEMORY leak", title=""))
    (first, second), rejects = read(path, plain(*rows))
    assert rejects == []
    assert str(first["created_at"]) == "2020-12-06 01:43:50+00:00"
    reported = {
        "problem_id": "65160023_1",
        "question_id": 65160023,
        "title": "Why is Keras slow?",
        "introducing_stage": "Model building",
        "exposing_stage": "Training",
        "symptom_1_category": "Time",
        "symptom_1_subcategory": "Slow execution time",
        "symptom_2_category": None,
        "symptom_2_subcategory": None,
        "cause_category": "Model",
        "cause_subcategory": "Confusion with computation graph",
        "published_introducing_stage": "build model",
        "published_root_cause": "Model: confusion with computation model",
        "published_symptom2": None,
        "line": 2,
    }
    assert {name: first[name] for name in reported} == reported
    assert (second["symptom_1_category"], second["symptom_1_subcategory"]) == ("Unknown", None)
    assert (second["symptom_2_category"], second["symptom_2_subcategory"]) == (
        "Memory",
        "Memory leak",
    )
    assert (second["title"], second["published_symptom1"]) == (None, "Unkown")


def test_the_form_of_the_authors_gives_the_same_rows(path: Path) -> None:
    one, _ = read(path, plain(row(title="More & more"), row(id="65160023_2")))
    wide = as_published(row(title="More &amp;\nmore"), row(id="65160023_2"))
    other, rejects = read(path, wide)
    assert rejects == []
    assert [problem | {"line": 0} for problem in one] == [
        problem | {"line": 0} for problem in other
    ]
    assert [problem["line"] for problem in other] == [2, 4]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": "x1"}, "'x1' is not a question number such as 65160023 or 65160023_2"),
        ({"id": "7"}, "the address '{url}' is not that of question 7"),
        ({"created": "2020-12-06"}, "creation date '2020-12-06' is not a time such as "),
        ({"first": "Tine: slow"}, "symptom1: 'Tine: slow' is not in the codebook; nearest is "),
        ({"first": ""}, "symptom1: '' is not in the codebook; nearest is "),
        ({"exposing": "later"}, "exposing stage: 'later' is not in the codebook; nearest is "),
        ({"cause": "Time"}, "root cause: 'Time' is not in the codebook; nearest is "),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_with_the_reason(
    path: Path, changes: dict[str, str], reason: str
) -> None:
    rows, [(line, reported)] = read(path, plain(row(**changes), row(id="65160023_2")))
    assert [problem["problem_id"] for problem in rows] == ["65160023_2"]
    assert line == 2
    assert reported.startswith(reason.format(url=ROW[3]))


def test_a_problem_is_listed_once(path: Path) -> None:
    rows, rejects = read(path, plain(row(), row(first="Unknown")))
    assert len(rows) == 1
    assert rejects == [(3, "problem 65160023_1 is listed already, in line 2")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        (plain(row())[:-20], "the file is cut short in line 2"),
        (as_published(row())[:-8], "the file is cut short in line 2"),
        (
            plain(row()).replace("symptom1", "symptom"),
            "column 7 is 'symptom' instead of 'symptom1'",
        ),
        (plain(row()), "the content differs from the published file"),
    ],
)
def test_a_file_that_is_not_the_published_one_is_refused(
    path: Path, text: str, sentence: str
) -> None:
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(PerfAssetsError, match=sentence):
        read_problems(path)
    with pytest.raises(PerfAssetsError, match="cannot be read"):
        read_problems(path.with_name("missing.csv"))


@pytest.fixture(scope="module")
def real() -> pl.DataFrame:
    if not PROBLEMS.is_file():
        pytest.skip(f"the published problems are not at {PROBLEMS}")
    rows, rejects = read_problems(PROBLEMS)
    assert rejects == []
    return rows


def test_the_published_problems_are_those_that_the_study_counts(real: pl.DataFrame) -> None:
    assert (real.height, real["question_id"].n_unique()) == (224, 210)
    days = real["created_at"].dt.date()
    assert (str(days.min()), str(days.max())) == ("2018-01-02", "2021-03-02")
    assert Counter(real["symptom_1_category"]) == {
        "Time": 117,
        "Memory": 52,
        "Unknown": 45,
        "Processor": 10,
    }
    assert Counter(real["cause_category"]) == {
        "API": 115,
        "Model": 50,
        "Library": 24,
        "Data": 21,
        "Hardware": 14,
    }
    assert real["title"].null_count() == 4


def test_every_code_of_the_codebook_occurs(real: pl.DataFrame) -> None:
    """And no other: 10 symptoms, 15 root causes, 9 stages."""
    symptoms = {*real["symptom_1_subcategory"], *real["symptom_2_subcategory"]} - {None}
    assert len(symptoms) == 10
    assert real["cause_subcategory"].n_unique() == 15
    assert len({*real["introducing_stage"], *real["exposing_stage"]}) == 9
