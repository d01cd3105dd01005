"""Review sheets and verdicts: what goes out, what comes back, and what follows from it."""

import csv
import io
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from perf_assets.cli import main
from perf_assets.core.reviews.codebook import Cause, UnknownWordError
from perf_assets.core.reviews.labelling_quality import labelling_quality
from perf_assets.core.reviews.rater_agreement import rater_agreement, rater_disagreements
from perf_assets.core.reviews.sampling import draw
from perf_assets.errors import PerfAssetsError
from perf_assets.paths import PACKAGE
from perf_assets.sample.generator import generate
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.sources.review_sheets.sheet import COLUMNS, GIVEN, RATED, read_sheet, sheet_text
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from perf_assets.sql_models.laying import create_view, load_models
from perf_assets.stages.reviews import import_sheet
from perf_assets.storage.gate import Gate
from perf_assets.storage.home import Home
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.model_database import ModelDatabase, insert
from tests.rows import REPOSITORY, issue, label, repository, verdict
from tests.support import materialize, stored_tables

SHEET = Path("sheet.csv")
LINKS = {(REPOSITORY, n): f"https://github.com/{REPOSITORY}/issues/{n}" for n in range(1, 20)}
FORMULA = tuple("=+-@＝＋－＠")

# What makes a cell hard: delimiters, quotes, line ends, formulas, and signs spreadsheets drop.
hard = st.text(
    st.sampled_from("=+-@'\" ;,\t\r\n|＝＠a1\u00a0é")
    | st.characters(exclude_categories=("Cs", "Cc"))
)


def bug(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "title": "It is slow",
        "link": LINKS[REPOSITORY, number],
        "matched_labels": ["module: performance"],
        "keywords": ["slow"],
        "matched_in": ["title"],
        "rule_version": "1-3f2a9c0b",
    }
    return {**row, **changes}


def sheet(*answers: dict[str, str], **changes: Any) -> str:
    """A sheet with a row for each of the ``answers``, numbered from 1."""
    rows = [bug(number, **changes) for number in range(1, len(answers) + 1)]
    table = list(csv.DictReader(io.StringIO(sheet_text(pl.DataFrame(rows)))))
    return written([{**row, **given} for row, given in zip(table, answers, strict=True)])


def written(rows: list[dict[str, str]], delimiter: str = ",") -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def verdicts_of(text: str) -> list[dict[str, Any]]:
    return read_verdicts(SHEET, read_sheet(SHEET, text.encode()), LINKS).to_dicts()


YES = {"is_performance": "yes"}


# The codebook


def test_the_codebook_has_the_categories_of_the_study_as_its_table_iii_spells_them() -> None:
    figures = tomllib.loads(
        (PACKAGE / "sources" / "replication" / "paper_figures.toml").read_text()
    )
    published = [Cause(row["category"], row.get("subcategory")) for row in figures["table_3"]]
    assert (len(codebook().categories), len(codebook().subcategories)) == (12, 19)
    assert set(codebook().descriptions) == set(published)
    assert all(len(text.split()) > 4 for text in codebook().descriptions.values())


@pytest.mark.parametrize("cause", codebook().descriptions, ids=lambda cause: cause.name)
def test_a_cause_is_found_by_its_name_however_it_is_spaced_and_cased(cause: Cause) -> None:
    assert codebook().cause(cause.name) == cause
    assert codebook().cause(f"  {cause.name.upper().replace(' ', '   ')} ") == cause


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("Memory ineficiency", "Memory inefficiency"),
        (
            "Unreleased memory resources",
            "Memory inefficiency (Unreleased memory resources)",
        ),
        ("others", "Other"),
    ],
)
def test_an_unknown_cause_is_refused_with_the_nearest(text: str, nearest: str) -> None:
    with pytest.raises(UnknownWordError) as refusal:
        codebook().cause(text)
    assert (refusal.value.word, refusal.value.nearest) == (text, nearest)


# The sample


@given(st.data())
def test_a_sample_is_drawn_again_by_its_seed_and_grows_by_adding(data: st.DataObject) -> None:
    labelled, others = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    seed = data.draw(st.integers(0, 10**9))
    bugs = pl.DataFrame(
        [
            {"repository": REPOSITORY, "number": n, "is_performance": n < labelled}
            for n in range(labelled + others)
        ]
    )
    n, m = data.draw(st.integers(1, labelled)), data.draw(st.integers(1, others))
    sample = draw(bugs, n, m, seed)
    assert sample["is_performance"].sum() == n
    assert (~sample["is_performance"]).sum() == m
    assert sample["number"].is_unique().all()
    assert sample.equals(draw(bugs.reverse(), n, m, seed))
    assert set(sample["number"]) <= set(draw(bugs, labelled, m, seed)["number"])


def test_every_bug_is_as_likely_to_be_drawn() -> None:
    bugs = pl.DataFrame(
        [{"repository": REPOSITORY, "number": n, "is_performance": True} for n in range(20)]
    )
    drawn = pl.concat(draw(bugs, 5, 0, seed)["number"] for seed in range(2000))
    # 500 expected of each, with a standard deviation of 19.
    counts = drawn.value_counts()["count"]
    assert counts.len() == 20
    assert counts.is_between(400, 600).all()


# The sheet


@given(st.lists(hard, min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_a_sheet_comes_back_as_it_went_out_through_any_spreadsheet(
    texts: list[str], delimiter: str
) -> None:
    bugs = pl.DataFrame([bug(n, title=text) for n, text in enumerate(texts, 1)])
    table = list(csv.DictReader(io.StringIO(sheet_text(bugs), newline="")))
    saved = written(table, delimiter)
    rows = read_sheet(SHEET, b"\xef\xbb\xbf" + saved.encode())
    assert [row.cells["title"] for row in rows] == texts
    assert [row.cells["number"] for row in rows] == [str(n + 1) for n in range(len(texts))]


@given(st.lists(hard, min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_no_cell_of_a_sheet_is_a_formula_however_it_is_cut(
    texts: list[str], delimiter: str
) -> None:
    bugs = pl.DataFrame([bug(n, title=text) for n, text in enumerate(texts, 1)])
    text = sheet_text(bugs)
    # One that takes quotes for what they are, and one that splits at every delimiter and line end.
    whole = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    lines = text.replace("\r", "\n").split("\n")
    cut = [cell.strip('"') for line in lines for cell in line.split(delimiter)]
    assert not any(cell.startswith(("\t", "\r")) for cell in whole)
    assert not any(cell.lstrip(" \u00a0\t\r\n").startswith(FORMULA) for cell in whole + cut)


def test_an_empty_sheet_of_a_sample_asks_the_four_questions() -> None:
    header, row = csv.reader(io.StringIO(sheet_text(pl.DataFrame([bug(7)]))))
    assert tuple(header) == GIVEN + RATED
    assert row[len(GIVEN) :] == [""] * len(RATED)
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


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"is_performance": "maybe"}, ("column is_performance", "'maybe' is unknown", "'")),
        (
            {**YES, "category": "Inefficent cashing"},
            ("category", "did you mean 'Inefficient caching'"),
        ),
        ({**YES, "impact": "sped"}, ("column impact", "did you mean 'speed'")),
        ({"category": "Other"}, ("is_performance: is empty although category is filled in",)),
        ({"note": "hm"}, ("is_performance: is empty although note is filled in",)),
        (
            {"is_performance": "no", "category": "Other"},
            ("column category", "only for performance bugs"),
        ),
        ({**YES, "number": "one"}, ("column number", "'one' is no number")),
        ({**YES, "number": "99"}, ("column number", "owner/name#99 is no bug report")),
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


GOOD_SHEET = sheet(YES, YES)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1: this is no review sheet"),
        (b"a,b\r\n1,2\r\n", "line 1: this is no review sheet"),
        (GOOD_SHEET.replace("impact", "cost", 1).encode(), "line 1, column impact"),
        (GOOD_SHEET.replace("title,link", "link,title", 1).encode(), "line 1, column 3"),
        (GOOD_SHEET.replace("yes,,,", "yes", 1).encode(), "line 2, column category: the row has 9"),
        (GOOD_SHEET.replace("yes,,,", "yes,,,,,x", 1).encode(), "line 2, column 13"),
        (
            GOOD_SHEET.encode().replace(b"slow", b"sl\xf6w", 1),
            "line 2, column title: this is no UTF-8",
        ),
        (GOOD_SHEET.encode() + b'"open', "line 4: this is no CSV"),
        (
            (GOOD_SHEET + GOOD_SHEET.splitlines()[1]).encode(),
            "line 4, column number: #1 stands in line 2 already",
        ),
    ],
)
def test_a_sheet_that_is_none_is_refused_in_a_sentence(content: bytes, words: str) -> None:
    with pytest.raises(PerfAssetsError) as refusal:
        read_verdicts(SHEET, read_sheet(SHEET, content), LINKS)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


# The store of verdicts


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    home = Home.of(tmp_path / "home")
    with open_warehouse(home.warehouse) as database:
        insert(database.connection, "meta.repositories", [repository()])
        insert(database.connection, "raw.issues", [issue(n, "2020-01-05") for n in range(1, 20)])
        insert(database.connection, "labels.performance_labels", [label(n) for n in range(1, 20)])
        for model in load_models():
            if model.name in {"staging.repositories", "staging.bug_reports"}:
                create_view(database.connection, model)
        yield Gate(database, home)


def stored(database: Database) -> pl.DataFrame:
    return database.frame("SELECT * FROM reviews.verdicts ORDER BY verdict_id")


def test_verdicts_are_added_and_never_changed(gate: Gate, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"

    def imported(rater: str, *answers: str) -> tuple[int, int, int]:
        path.write_text(sheet(*({"is_performance": word} for word in answers)))
        before = stored(gate.database)
        outcome = import_sheet(gate, path, rater)
        assert stored(gate.database).head(before.height).equals(before)
        return outcome.added, outcome.superseding, outcome.unchanged

    assert imported("Ann", "yes", "no", "") == (2, 0, 0)
    assert imported("Bob", "yes", "no", "") == (2, 0, 0)
    assert imported("Ann", "yes", "yes", "unsure") == (1, 1, 1)
    # The first sheet by mistake again: what was said since stays in force.
    assert imported("Ann", "yes", "no", "") == (0, 0, 2)
    # Back to the first opinion on purpose, in a sheet that is new.
    assert imported("Ann", "yes", "no", "unsure") == (0, 1, 2)
    log = stored(gate.database)
    assert log["verdict_id"].to_list() == list(range(1, 8))
    assert log["rater"].to_list() == ["Ann", "Ann", "Bob", "Bob", "Ann", "Ann", "Ann"]
    assert log.filter(rater="Ann", number=2)["verdict"].to_list() == ["no", "yes", "no"]
    assert log["file"].unique().to_list() == ["sheet.csv"]


def test_a_sheet_with_one_mistake_leaves_everything_as_it_was(gate: Gate, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(sheet(YES, {**YES, "category": "Bad luck"}))
    with pytest.raises(PerfAssetsError, match="line 3, column category: 'Bad luck' is unknown"):
        import_sheet(gate, path, "Ann")
    assert stored(gate.database).is_empty()


@pytest.mark.parametrize("rater", ["", "  ", "Consensus", "=cmd|x", "a" * 101, "Ann, Bob"])
def test_a_rater_needs_a_name(gate: Gate, tmp_path: Path, rater: str) -> None:
    with pytest.raises(PerfAssetsError, match="is no name of a rater"):
        import_sheet(gate, tmp_path / "sheet.csv", rater)


# What follows from them


def judged(*rows: tuple[int, str, str, bool], **changes: Any) -> pl.DataFrame:
    """Verdicts as (number, rater, verdict, is_performance)."""
    return pl.DataFrame(
        [
            {
                "dataset": "live",
                "repository": REPOSITORY,
                "number": number,
                "rater": rater,
                "verdict": word,
                "category": "Other" if word == "yes" else None,
                "subcategory": None,
                "impact": "speed" if word == "yes" else None,
                "note": None,
                "is_performance": is_performance,
                "matched_labels": ["slow"] if is_performance and number % 2 else [],
                "matched_keywords": ["slow"] if is_performance else [],
                "title": "It is slow",
                "html_url": LINKS.get((REPOSITORY, number), ""),
                **changes,
            }
            for number, rater, word, is_performance in rows
        ],
        schema_overrides={
            **dict.fromkeys(("category", "subcategory", "impact", "note"), pl.String),
            "matched_labels": pl.List(pl.String),
            "matched_keywords": pl.List(pl.String),
        },
    )


def strata(labelled: int, others: int) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"dataset": "live", "repository": REPOSITORY, "is_performance": is_performance}
            | {"bug_reports": n}
            for is_performance, n in ((True, labelled), (False, others))
        ]
    )


def test_precision_is_that_of_the_study_where_141_of_160_are_right() -> None:
    rows = [(n, "Ann", "yes" if n < 141 else "no", True) for n in range(160)]
    verdicts = judged(*rows, (160, "Ann", "unsure", True))
    quality = labelling_quality(verdicts, strata(500, 900))
    [row] = quality.filter(repository=REPOSITORY, rule="all").to_dicts()
    low, high = proportion_confint(141, 160, method="wilson")
    assert (row["n"], row["successes"], row["n_unsure"]) == (160, 141, 1)
    assert f"{row['estimate']:.2f}" in {"88.12", "88.13"}  # 88.125, which the paper rounds up
    assert (row["low"], row["high"]) == pytest.approx((100 * low, 100 * high))
    by_rule = quality.filter(repository=REPOSITORY, measure="precision").rows_by_key(
        "rule", named=True
    )
    assert by_rule["keyword: slow"][0]["n"] == 160
    assert by_rule["label: slow"][0]["n"] == 80
    assert quality.filter(measure="recall").is_empty()


def test_recall_weighs_what_the_labels_missed_by_how_many_were_not_looked_at() -> None:
    # 100 labelled, 8 of 10 right: 80 found. 900 others, 1 of 30 missed: 30. Recall 80 / 110.
    rows = [(n, "Ann", "yes" if n < 8 else "no", True) for n in range(10)]
    rows += [(n, "Ann", "yes" if n == 10 else "no", False) for n in range(10, 40)]
    quality = labelling_quality(judged(*rows), strata(100, 900))
    [row] = quality.filter(repository=REPOSITORY, measure="recall").to_dicts()
    low, high = proportion_confint(1, 30, method="wilson")
    assert row["estimate"] == pytest.approx(100 * 80 / 110)
    assert (row["low"], row["high"]) == pytest.approx(
        (100 * 80 / (80 + 900 * high), 100 * 80 / (80 + 900 * low))
    )


# The table of Cohen (1960) as in statsmodels' and R irr's documentation is in test_agreement; here
# the kappas are taken over the right bug reports: both 45 of 50 alike, by chance 0.5.
def test_agreement_is_over_what_both_judged() -> None:
    words = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 5 + ["no"] * 5
    others = ["yes"] * 20 + ["no"] * 20 + ["no"] * 5 + ["yes"] * 5
    verdicts = judged(
        *((n, "Ann", word, True) for n, word in enumerate(words)),
        *((n, "Bob", word, True) for n, word in enumerate(others)),
        (99, "Ann", "yes", True),
        (98, "Bob", "yes", True),
    )
    agreement = rater_agreement(verdicts).filter(repository=REPOSITORY)
    [row] = agreement.filter(question="is_performance").to_dicts()
    assert (row["raters"], row["method"], row["n"]) == ("Ann, Bob", "cohen", 50)
    assert (row["observed"], row["kappa"]) == pytest.approx((0.8, 0.6))
    assert agreement.filter(question="category")["n"].to_list() == [20]
    disagreements = rater_disagreements(verdicts)
    assert disagreements["question"].unique().to_list() == ["is_performance"]
    assert disagreements["number"].to_list() == list(range(40, 50))
    assert disagreements.row(0, named=True)["answer_2"] == "no"


def test_three_raters_have_three_pairs_and_one_kappa_of_all() -> None:
    verdicts = judged(
        *((n, rater, "yes" if n % 2 else "no", True) for n in range(8) for rater in "ABC")
    )
    agreement = rater_agreement(verdicts).filter(repository=REPOSITORY, question="is_performance")
    assert agreement["raters"].to_list() == ["A, B", "A, C", "B, C", "A, B, C"]
    assert agreement["method"].to_list() == ["cohen"] * 3 + ["fleiss"]
    assert agreement["kappa"].to_list() == [1.0] * 4


def test_causes_that_differ_in_the_sub_category_alone_are_to_discuss() -> None:
    category = "Memory inefficiency"
    ann = judged(
        (1, "Ann", "yes", True), category=category, subcategory="Unreleased memory resources"
    )
    bob = judged((1, "Bob", "yes", True), category=category)
    [row] = rater_disagreements(pl.concat([ann, bob])).to_dicts()
    assert (row["question"], row["answer_1"], row["answer_2"]) == (
        "cause",
        "Memory inefficiency (Unreleased memory resources)",
        "Memory inefficiency",
    )


@pytest.fixture(scope="module")
def models() -> ModelDatabase:
    return ModelDatabase()


def fill(models: ModelDatabase, *verdicts: dict[str, Any], **tables: Any) -> None:
    models.fill(
        {
            "meta.repositories": [repository()],
            "raw.issues": [issue(n, "2020-01-05") for n in range(1, 5)],
            "labels.performance_labels": [label(n) for n in range(1, 5)],
            "reviews.verdicts": verdicts,
            **tables,
        }
    )


def test_the_last_verdict_of_a_rater_and_most_raters_decide(models: ModelDatabase) -> None:
    caching = {"category": "Inefficient caching", "impact": "speed"}
    fill(
        models,
        verdict(1, "Ann", 1, "no"),
        verdict(2, "Bob", 1, "yes", **caching),
        verdict(3, "Ann", 1, "yes", category="Other", impact="speed"),
        verdict(4, "Eve", 1, "yes", **caching),
        verdict(5, "Ann", 2, "yes", **caching),
        verdict(6, "Bob", 2, "no"),
        verdict(7, "Ann", 3, "yes"),
        verdict(8, "Ann", 77, "yes", **caching),  # an issue that is gone
    )
    assert models.table(
        "staging.reviewed_bugs", "number, raters, verdict, category, impact", "number"
    ) == [
        (1, 3, "yes", "Inefficient caching", "speed"),
        (2, 2, "unsure", None, None),
        (3, 1, "yes", None, None),
    ]


def test_root_causes_count_categories_and_sub_categories_with_their_impact(
    models: ModelDatabase,
) -> None:
    memory = {"category": "Memory inefficiency", "impact": "memory"}
    leak = {**memory, "subcategory": "Unreleased memory resources"}
    fill(
        models,
        verdict(1, "Ann", 1, "yes", **memory),
        verdict(2, "Ann", 2, "yes", **leak),
        verdict(3, "Ann", 3, "yes", **leak | {"impact": "both"}),
        verdict(4, "Ann", 4, "yes", category="Other"),
    )
    columns = "cause, bugs, total, percentage, speed, memory, speed_and_memory"
    rows = models.table(f"(FROM marts.root_causes WHERE repository = '{REPOSITORY}')", columns)
    assert rows == [
        ("Memory inefficiency", 3, 4, 75.0, 0, 2, 1),
        ("Memory inefficiency (Unreleased memory resources)", 2, 4, 50.0, 0, 1, 1),
        ("Other", 1, 4, 25.0, None, None, None),
    ]


def test_the_published_taxonomy_stands_beside_with_impacts_unknown(models: ModelDatabase) -> None:
    rows = [
        {"repository": "pytorch/pytorch", "number": n, "occurrence": 1, "category": "Other"}
        | {"published_category": "Other", "file": "a.csv", "line": n}
        for n in (1, 2)
    ]
    fill(models, **{"replication.taxonomy": rows})
    assert models.table(
        "marts.root_causes", "dataset, repository, cause, bugs, percentage, speed"
    ) == [
        ("replication", "pooled", "Other", 2, 100.0, None),
        ("replication", "pytorch/pytorch", "Other", 2, 100.0, None),
    ]


# From sheet to agreement, as a user does it


def filled(path: Path, target: Path, answers: list[dict[str, str]]) -> Path:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(answers)
    target.write_text(
        written([{**row, **answer} for row, answer in zip(rows, answers, strict=True)], ";")
    )
    return target


def test_two_raters_judge_a_sample_and_their_agreement_is_told(tmp_path: Path) -> None:
    generate(tmp_path / "corpus", seed=3, issues=60, months=1, commits=10)
    home = tmp_path / "home"
    materialize(tmp_path / "corpus" / "study.toml", home)

    def run(*arguments: str | Path) -> str:
        words = [*map(str, arguments), "--home", str(home)]
        outcome = CliRunner().invoke(main, words, env={"COLUMNS": "200"})
        assert outcome.exit_code == 0, outcome.output
        return outcome.output

    refused = CliRunner().invoke(main, ["agreement", "--home", str(home)])
    assert refused.exit_code == 2
    assert "has no verdicts yet" in refused.output

    path = tmp_path / "sheet.csv"
    draw_sheet = ("sample-for-review", "--n", "4", "--unlabelled", "3", "--seed", "5")
    assert "7 bug reports to judge" in run(*draw_sheet, "--output", path)
    first = path.read_bytes()
    run(*draw_sheet, "--output", path)
    assert path.read_bytes() == first
    path.write_bytes(first + b"\r\n")
    refused = CliRunner().invoke(main, [*draw_sheet, "--output", str(path), "--home", str(home)])
    assert refused.exit_code == 2
    assert "is there already and may hold verdicts" in refused.output

    caching = {**YES, "category": "Inefficient caching", "impact": "speed"}
    no = {"is_performance": "no"}
    ann = filled(path, tmp_path / "ann.csv", [caching, caching, caching, no, no, no, no])
    bob = filled(path, tmp_path / "bob.csv", [caching, caching, no, no, no, no, no])
    assert "7 verdicts added, 0 supersede" in run("import-review", ann, "--rater", "Ann")
    said = run("import-review", bob, "--rater", "Bob")
    assert "do the raters agree?" in said
    assert "to discuss" in said
    after = stored_tables(Home.of(home).published)
    assert after["reviews.verdicts"].height == 14
    kappas = after["analysis.rater_agreement"].filter(
        question="is_performance", repository="pooled"
    )
    assert kappas["n"].to_list() == [7]
    causes = after["marts.root_causes"].filter(dataset="live", repository="pooled")
    assert causes.select("cause", "bugs", "speed").rows() == [("Inefficient caching", 2, 2)]
