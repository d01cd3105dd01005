"""What commands print in 80 columns: whole words, and of a replication one screen."""

import io
import re

import polars as pl
import pytest
from rich.console import Console

from perf_assets.reports.replication import print_comparison, print_verdicts
from perf_assets.reports.terminal import print_table, say
from perf_assets.schema import schema_of
from tests.rows import figure

LONG = "supercalifragilisticexpialidocious"
REASON = "{} bug reports were closed and are open again: the package gives their last close and no"


def terminal() -> Console:
    return Console(file=io.StringIO(), width=80, height=24, force_terminal=True, color_system=None)


def printed(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def compared() -> pl.DataFrame:
    rows = [
        figure(f"table_1.{number}", quantity=f"{LONG} bugs number-{number}", published_text="7")
        for number in range(30)
    ]
    rows += [figure(f"differs.{n}", verdict="differs", reason=REASON.format(n)) for n in range(12)]
    rows += [
        figure(f"further.{n}", verdict="differs", reason=f"reason {'of this kind ' * n}")
        for n in range(1, 6)
    ]
    rows.append(figure("missing", verdict="not_derivable", reason="the data have none"))
    return pl.DataFrame(rows, schema=schema_of("analysis.paper_comparison"))


def test_a_replication_is_one_screen_with_each_reason_once() -> None:
    console = terminal()
    print_verdicts(compared(), console)
    lines = printed(console)
    text = " ".join(" ".join(lines).split())
    assert len(lines) <= 24
    assert "48 figures: 30 exact, 17 differs, 1 not derivable" in text
    assert text.count("bug reports were closed") == 1
    assert "12 differ, Table I: 0 bug reports" in text and "1 differs, Table I: reason of" in text


def test_every_figure_stands_there_on_demand_and_no_word_is_cut() -> None:
    console = terminal()
    rows = compared()
    print_comparison(rows, console)
    text = " ".join(printed(console))
    assert len(re.findall(rf"\b{LONG}\b", text)) == 30
    assert set(re.findall(r"\bnumber-\S+?(?=,)", text)) == {f"number-{n}" for n in range(30)}
    for number in range(12):
        assert " ".join(REASON.format(number).split()) in " ".join(text.split())


@pytest.mark.parametrize("columns", [2, 9])
def test_a_table_that_would_cut_words_has_a_line_for_each_value(columns: int) -> None:
    console = terminal()
    rows = pl.DataFrame({f"column_{place}": [f"{LONG}{place}"] for place in range(columns)})
    print_table(console, "Title", rows)
    words = " ".join(printed(console)).split()
    assert {f"{LONG}{place}" for place in range(columns)} <= set(words)


def test_a_program_that_reads_gets_whole_lines() -> None:
    console = Console(file=io.StringIO(), width=80)
    say(console, "word " * 40, indent="  ")
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == f"  {'word ' * 40}\n"
