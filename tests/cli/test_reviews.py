"""From sample to agreement on the command line, as raters do it."""

import csv
import shlex
from pathlib import Path

import duckdb
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.review_sheets.sheet import BUG_REPORTS, FINDINGS, QUESTIONS, Form
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.question_rows import FORUM, performance_question, question, tag_set
from tests.review_sheets import YES, written
from tests.support import perf_assets, stored_tables

pytestmark = pytest.mark.slow


def filled(
    path: Path, target: Path, answers: list[dict[str, str]], form: Form = BUG_REPORTS
) -> Path:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(answers)
    target.write_text(
        written([{**row, **answer} for row, answer in zip(rows, answers, strict=True)], ";", form)
    )
    return target


@pytest.mark.exhaustive
def test_two_raters_judge_a_sample_and_their_agreement_is_reported(
    data_dir: Path, tmp_path: Path
) -> None:
    def run(*arguments: str | Path) -> str:
        ran = perf_assets(*arguments, "--data-dir", data_dir)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    refused = perf_assets("review", "agreement", "--data-dir", data_dir)
    assert refused.returncode == 2
    assert "has no verdicts yet" in refused.stderr

    path = tmp_path / "sheet.csv"
    draw_sheet = ("review", "sample", "--n", "3", "--unlabelled", "4", "--seed", "5")
    refused = perf_assets(*draw_sheet, "--fixed", "--data-dir", data_dir)
    assert refused.returncode == 2
    assert "--fixed is for performance bugs alone" in refused.stderr
    assert "7 bug reports to judge" in run(*draw_sheet, "--output", path)
    first = path.read_bytes()
    run(*draw_sheet, "--output", path)
    assert path.read_bytes() == first
    path.write_bytes(first + b"\r\n")
    refused = perf_assets(*draw_sheet, "--output", path, "--data-dir", data_dir)
    assert refused.returncode == 2
    assert "exists and may hold verdicts" in refused.stderr

    caching = {**YES, "category": "Inefficient caching", "impact": "speed"}
    no = {"is_performance": "no"}
    ann = filled(path, tmp_path / "ann.csv", [caching, caching, caching, no, no, no, no])
    bob = filled(path, tmp_path / "bob.csv", [caching, caching, no, no, no, no, no])
    # Sheets of an older version have no column codebook.
    rows = list(csv.DictReader(ann.open(), delimiter=";"))
    with ann.open("w", newline="") as file:
        names = [name for name in rows[0] if name != "codebook"]
        writer = csv.DictWriter(file, names, delimiter=";", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    output = run("review", "import", ann, "--rater", "Ann")
    assert "7 verdicts added, 0 supersede" in output
    assert "3 of category 'Inefficient caching' of an older codebook" in output.replace("\n", " ")
    output = run("review", "import", bob, "--rater", "Bob")
    assert "do the raters agree?" in output
    assert "answers on which the raters disagree" in output
    after = stored_tables(DataDirectory.of(data_dir).published)
    assert after["reviews.verdicts"].height == 14
    kappas = after["analysis.rater_agreement"].filter(
        question="is_performance", repository="pooled"
    )
    assert kappas["n"].to_list() == [7]
    causes = after["marts.root_causes"].filter(dataset="live", repository="pooled")
    assert causes.select("cause", "bugs", "speed").rows() == [("Inefficient caching", 2, 2)]
    # What an older version published has no questions, and is told nevertheless.
    with duckdb.connect(str(DataDirectory.of(data_dir).published)) as connection:
        connection.execute("DROP VIEW staging.question_verdicts")
        connection.execute("DROP TABLE analysis.question_agreement")
    assert "do the raters agree?" in run("review", "agreement")


@pytest.mark.usefixtures("trusting_auditor", "undrawn_report")
def test_sheets_are_imported_together_and_one_with_a_mistake_is_refused_alone(
    data_dir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "my sheet.csv"
    home = ("--data-dir", data_dir)
    draw_sheet = ("review", "sample", "--n", "2", "--seed", "1", "--output", path)
    ran = perf_assets(*draw_sheet, *home)
    assert ran.returncode == 0
    command = shlex.split(ran.stdout.splitlines()[-1].partition(": ")[2])
    assert command == ["perf-assets", "review", "import", str(path), "--rater", "YOUR_NAME"]
    ann = filled(path, tmp_path / "ann.csv", [YES, {"is_performance": "no"}])
    ben = filled(path, tmp_path / "ben.csv", [YES, YES])
    spoilt = filled(path, tmp_path / "spoilt.csv", [YES, {"is_performance": "perhaps"}])
    raters = ("--rater", "Ann", "--rater", "Cai", "--rater", "Ben")

    refused = perf_assets("review", "import", ann, ben, *raters, *home)
    assert refused.returncode == 2
    assert "--rater is given 3 times for 2 sheets: name one rater for all" in refused.stderr
    refused = perf_assets("review", "import", spoilt, spoilt, *raters[:4], *home)
    assert refused.returncode == 2 and refused.stderr.count("spoilt.csv") == 2

    ran = perf_assets("review", "import", ann, spoilt, ben, *raters, *home)
    assert ran.returncode == 2
    assert [line.partition(": ") for line in ran.stdout.splitlines() if "added" in line] == [
        (str(one), ": ", "2 verdicts added, 0 supersede an earlier one, 0 as before")
        for one in (ann, ben)
    ]
    assert "spoilt.csv" in ran.stderr and "perhaps" in ran.stderr and "ann.csv" not in ran.stderr
    stored = stored_tables(DataDirectory.of(data_dir).published)
    assert stored["reviews.verdicts"]["rater"].unique().sort().to_list() == ["Ann", "Ben"]
    kappas = stored["analysis.rater_agreement"]
    assert kappas["raters"].unique().to_list() == ["Ann, Ben"]
    assert kappas["kappa"].to_list() == [None] * kappas.height  # Ben said yes alone
    assert "not estimable" in ran.stdout and "0.0" not in ran.stdout


# tests/stages/test_question_reviews.py imports such sheets without the command.
@pytest.mark.exhaustive
def test_two_raters_judge_questions_by_the_same_commands(data_dir: Path, tmp_path: Path) -> None:
    def run(*arguments: str | Path) -> str:
        ran = perf_assets(*arguments, "--data-dir", data_dir)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    forum = FORUM
    with open_warehouse(DataDirectory.of(data_dir).warehouse) as database:
        rows = {
            "raw.questions": [question(number, "2020-01-05") for number in range(1, 6)],
            "labels.performance_questions": [
                *(performance_question(number) for number in range(1, 4)),
                *(performance_question(number, is_performance=False) for number in range(4, 6)),
            ],
            "meta.tag_sets": [tag_set()],
        }
        for table, made in rows.items():
            insert(database.connection, table, made)
    publish(DataDirectory.of(data_dir))
    path = tmp_path / "questions.csv"
    draw_sheet = ("review", "sample", "--forum", forum, "--n", "2", "--unlabelled", "1")
    output = run(*draw_sheet, "--seed", "5", "--output", path)
    assert "3 questions to judge" in output and "codebook_dlperf.toml" in output
    of_tag_sets = ("review", "sample", "--tag-sets", "--n", "50", "--seed", "1")
    assert "5 questions to judge" in run(*of_tag_sets, "--forum", forum)
    refused = perf_assets(*of_tag_sets, "--data-dir", data_dir)
    assert refused.returncode == 2 and "--tag-sets goes with --forum" in refused.stderr
    of_endorsements = ("review", "sample", "--endorsements", "--n", "50", "--seed", "1")
    refused = perf_assets(*of_endorsements, "--data-dir", data_dir)
    assert refused.returncode == 2 and "--endorsements goes with --forum" in refused.stderr
    refused = perf_assets(
        "review", "sample", "--forum", "none", "--n", "1", "--seed", "1", "--data-dir", data_dir
    )
    assert refused.returncode == 2
    assert "--forum none: " in refused.stderr and f"choose from {forum}" in refused.stderr

    slow = {**YES, "symptom1": "Time", "root_cause": "Data", "kinds": "performance"}
    slow["challenge"] = "Static graphs"  # as the codebook had it before
    no = {"is_performance": "no", "kinds": "installation"}
    ann = filled(path, tmp_path / "ann.csv", [slow, slow, no], QUESTIONS)
    bob = filled(path, tmp_path / "bob.csv", [slow, no, no], QUESTIONS)
    output = run("review", "import", ann, "--rater", "Ann")
    assert "3 verdicts added, 0 supersede" in output
    assert "'Static graphs' of an older codebook was read as 'Static graph computation'" in output
    assert f"{forum}: how people judged its questions" in output
    output = run("review", "import", bob, "--rater", "Bob")
    assert f"{forum}: do the raters agree on its questions?" in output
    after = stored_tables(DataDirectory.of(data_dir).published)
    assert after["reviews.question_verdicts"].height == 6
    kappas = after["analysis.question_agreement"].filter(asked="is_performance")
    assert kappas["n"].to_list() == [3]
    assert "question_agreement" in run("review", "agreement", "--json")


# tests/stages/test_finding_reviews.py imports such sheets without the command.
@pytest.mark.exhaustive
def test_two_raters_judge_findings_by_the_same_commands(data_dir: Path, tmp_path: Path) -> None:
    def run(*arguments: str | Path) -> str:
        ran = perf_assets(*arguments, "--data-dir", data_dir)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    path = tmp_path / "findings.csv"
    draw_sheet = ("review", "sample", "--findings", "--n", "1", "--seed", "5")
    lines = run(*draw_sheet, "--output", path).splitlines()
    number = int(lines[0].split()[1])
    assert lines[0] == f"{path}: {number} findings to judge" and number > 0
    assert "review import" in lines[1]
    refused = perf_assets(*draw_sheet, "--forum", "stackoverflow", "--data-dir", data_dir)
    assert refused.returncode == 2
    assert "--findings takes --n alone" in refused.stderr

    ann = filled(path, tmp_path / "ann.csv", [{"verdict": "right"}] * number, FINDINGS)
    bob = filled(path, tmp_path / "bob.csv", [{"verdict": "wrong"}] * number, FINDINGS)
    output = run("review", "import", ann, "--rater", "Ann")
    assert f"{number} verdicts added, 0 supersede" in output
    assert "how often findings of static checks are right" in output
    output = run("review", "import", bob, "--rater", "Bob")
    assert "do the raters agree on findings?" in output
    after = stored_tables(DataDirectory.of(data_dir).published)
    assert after["reviews.finding_verdicts"].height == 2 * number
    shares = after["analysis.finding_precision"].filter(repository="pooled", rule="all")
    assert dict(shares.select("rater", "estimate_percent").iter_rows()) == {
        "Ann": 100.0,
        "Bob": 0.0,
        "consensus": None,
    }
    assert "finding_precision" in run("review", "agreement", "--json")
