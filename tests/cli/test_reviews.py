"""From sample to agreement on the command line, as raters do it."""

import csv
from pathlib import Path

from click.testing import CliRunner

from perf_assets.cli import main
from perf_assets.sample.generator import generate
from perf_assets.storage.home import Home
from tests.review_sheets import YES, written
from tests.support import materialize, stored_tables


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
