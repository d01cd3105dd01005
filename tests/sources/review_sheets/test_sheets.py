"""Review sheets: what goes out, and what comes back."""

import csv
import io
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.review_sheets.older_codebooks import remarks_on
from perf_assets.sources.review_sheets.sheet import BUG_REPORTS, read_sheet, sheet_text
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from tests.review_sheets import LINKS, SHEET, YES, bug_to_judge, sheet, verdicts_of, written
from tests.rows import REPOSITORY

FORMULA = tuple("=+-@＝＋－＠")

# Marks that turn the direction of writing, which are left out.
TURNS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# What makes a cell hard: delimiters, quotes, line ends, formulas, and signs spreadsheets drop.
hard = st.text(
    st.sampled_from("=+-@'\" ;,\t\r\n|＝＠a1\u00a0é")
    | st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=TURNS)
)


@given(st.lists(hard, min_size=1, max_size=4), st.sampled_from(",;\t"))
@example([",@", "a, 'b'", ",'=1"], ";")
def test_a_sheet_comes_back_as_it_went_out_through_any_spreadsheet(
    texts: list[str], delimiter: str
) -> None:
    bugs = pl.DataFrame([bug_to_judge(n, title=text) for n, text in enumerate(texts, 1)])
    table = list(csv.DictReader(io.StringIO(sheet_text(bugs), newline="")))
    saved = written(table, delimiter)
    read = read_sheet(SHEET, b"\xef\xbb\xbf" + saved.encode())
    rows = read.rows
    assert [row.cells["title"] for row in rows] == texts
    assert [row.cells["number"] for row in rows] == [str(n + 1) for n in range(len(texts))]


@given(st.lists(hard, min_size=1, max_size=4), st.sampled_from(",;\t"))
@example([",@", 'x, "=1"'], ",")
def test_no_cell_of_a_sheet_is_a_formula_however_it_is_cut(
    texts: list[str], delimiter: str
) -> None:
    bugs = pl.DataFrame([bug_to_judge(n, title=text) for n, text in enumerate(texts, 1)])
    text = sheet_text(bugs)
    # One that takes quotes for what they are, and one that splits at every delimiter and line end.
    whole = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    lines = text.replace("\r", "\n").split("\n")
    cut = [cell.strip('"') for line in lines for cell in line.split(delimiter)]
    assert not any(cell.startswith(("\t", "\r")) for cell in whole)
    assert not any(cell.lstrip(" \u00a0\t\r\n").startswith(FORMULA) for cell in whole + cut)


def test_an_empty_sheet_of_a_sample_asks_the_four_questions() -> None:
    header, row = csv.reader(io.StringIO(sheet_text(pl.DataFrame([bug_to_judge(7)]))))
    assert tuple(header) == BUG_REPORTS.columns
    assert row[-4:] == [""] * 4 and len(BUG_REPORTS.rated) == 4
    assert verdicts_of(sheet({}, {})) == []


def test_answers_are_read_in_the_words_of_the_codebook() -> None:
    cause = "memory inefficiency  (unreleased memory resources)"
    answers = (
        {"is_performance": " YES", "category": cause, "impact": "Both", "note": " see #4 "},
        {"is_performance": "No", "note": "a crash"},
        {},
        {"is_performance": "unsure"},
    )
    assert verdicts_of(sheet(*answers)) == [
        {
            "repository": REPOSITORY,
            "number": 1,
            "verdict": "yes",
            "category": "Memory inefficiency",
            "subcategory": "Unreleased memory resources",
            "impact": "both",
            "note": "see #4",
            "line": 2,
        },
        {
            "repository": REPOSITORY,
            "number": 2,
            "verdict": "no",
            "category": None,
            "subcategory": None,
            "impact": None,
            "note": "a crash",
            "line": 3,
        },
        {
            "repository": REPOSITORY,
            "number": 4,
            "verdict": "unsure",
            "category": None,
            "subcategory": None,
            "impact": None,
            "note": None,
            "line": 5,
        },
    ]


def test_a_sheet_of_an_older_codebook_is_read_and_names_what_it_may_have_put_elsewhere() -> None:
    categories = ("Other", "other", "C/C++ abstraction", "Traditional SE inefficiency", "")
    answers = [{**YES, "category": category} for category in categories]
    older = sheet(*answers)
    rows = [
        {name: cell for name, cell in row.items() if name != "codebook"}
        for row in csv.DictReader(io.StringIO(older))
    ]
    form = replace(BUG_REPORTS, given=BUG_REPORTS.given[:-1])
    read = read_sheet(SHEET, written(rows, form=form).encode())
    names = [one["category"] for one in read_verdicts(SHEET, read, LINKS).to_dicts()]
    assert names == ["Other", "Other", "C/C++ abstraction", "Traditional SE inefficiency", None]
    assert [remark.partition(" of an older codebook")[0] for remark in remarks_on(read)] == [
        "1 of category 'C/C++ abstraction'",
        "2 of category 'Other'",
        "1 of category 'Traditional SE inefficiency'",
    ]
    assert remarks_on(read_sheet(SHEET, older.encode())) == []


def test_a_cause_that_nobody_discussed_was_left_empty_by_revision_2() -> None:
    answers = [{**YES, "category": "Other"}, YES, {**YES, "category": "memory inefficiency"}, {}]
    answers.append({"is_performance": "no"})
    (remark,) = remarks_on(read_sheet(SHEET, sheet(*answers, codebook="2").encode()))
    assert remark.startswith("1 without a category of an older codebook, where causes that the")
    assert remarks_on(read_sheet(SHEET, sheet(*answers, codebook="3").encode())) == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"is_performance": "maybe"},
            ("column is_performance", "'maybe' is unknown; write yes, no or unsure"),
        ),
        (
            {**YES, "category": "Inefficent cashing"},
            ("category", "did you mean 'Inefficient caching'"),
        ),
        (
            {**YES, "impact": "sped"},
            ("column impact", "'sped' is unknown; write speed, memory or both"),
        ),
        ({"category": "Other"}, ("is_performance: is empty although category is filled in",)),
        ({"note": "hm"}, ("is_performance: is empty although note is filled in",)),
        (
            {"is_performance": "no", "category": "Other"},
            ("column category", "only for performance bugs"),
        ),
        ({**YES, "number": "one"}, ("column number", "'one' is not the number")),
        ({**YES, "number": "99"}, ("column number", "owner/name#99 is not a stored bug report")),
        ({**YES, "number": "2"}, ("column link", "is not that of owner/name#2")),
    ],
)
def test_a_mistake_is_named_where_it_stands(answer: dict[str, str], words: tuple[str, ...]) -> None:
    with pytest.raises(PerfAssetsError) as refusal:
        verdicts_of(sheet({}, answer) if "number" not in answer else sheet(answer))
    message = str(refusal.value)
    assert message.startswith(f"sheet.csv, line {3 if 'number' not in answer else 2}, column")
    assert message.endswith("nothing was imported")
    assert all(word in message for word in words)


def test_names_the_mistakes_of_several_rows_in_one_sentence() -> None:
    answers = [{"is_performance": "maybe"}, {**YES, "category": "Magic"}, YES]
    with pytest.raises(PerfAssetsError) as refusal:
        verdicts_of(sheet(*answers))
    message = str(refusal.value)
    assert message.startswith("sheet.csv, line 2, column is_performance: 'maybe' is unknown")
    assert "; line 3, column category: 'Magic' is unknown; did you mean" in message
    with pytest.raises(PerfAssetsError, match=r"line 6, .*; and 3 more; nothing was imported"):
        verdicts_of(sheet(*answers[:1] * 8))


def test_a_sheet_does_not_say_what_the_tool_found_and_older_ones_that_do_are_read() -> None:
    found = {"matched_labels": "module: performance", "keywords": "slow", "matched_in": "title"}
    (row,) = csv.DictReader(io.StringIO(sheet(YES)))
    assert found.keys().isdisjoint(row)
    cells: dict[str, str] = {}
    for name, value in row.items():
        cells |= {name: value} | (found if name == "link" else {})
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(cells))
    writer.writeheader()
    writer.writerow(cells)
    assert verdicts_of(text.getvalue()) == verdicts_of(sheet(YES))


GOOD_SHEET = sheet(YES, YES)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1: not a review sheet"),
        (b"a,b\r\n1,2\r\n", "line 1: not a review sheet"),
        (GOOD_SHEET.replace("impact", "cost", 1).encode(), "line 1, column impact"),
        (GOOD_SHEET.replace("title,link", "link,title", 1).encode(), "line 1, column 3"),
        (
            GOOD_SHEET.replace("yes,,,", "yes", 1).encode(),
            "line 2, column category: the row has 7",
        ),
        (GOOD_SHEET.replace("yes,,,", "yes,,,,,x", 1).encode(), "line 2, column 11"),
        (
            GOOD_SHEET.encode().replace(b"slow", b"sl\xf6w", 1),
            "line 2, column title: not valid UTF-8",
        ),
        (GOOD_SHEET.encode() + b'"open', "line 4: not valid CSV"),
        (
            (GOOD_SHEET + GOOD_SHEET.splitlines()[1]).encode(),
            "line 4, column number: #1 is in line 2 already",
        ),
    ],
)
def test_a_sheet_that_is_none_is_refused_in_one_sentence(content: bytes, words: str) -> None:
    with pytest.raises(PerfAssetsError) as refusal:
        read_verdicts(SHEET, read_sheet(SHEET, content), LINKS)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
