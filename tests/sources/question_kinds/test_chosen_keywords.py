"""Files of keywords that people chose: read, or refused by line."""

from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.questions.words import Wordlists
from perf_assets.sources.question_kinds.kind_files import read_keywords

PACKAGED = Wordlists(frozenset({"the"}), {"performance": ("slow",), "installation": ("pip",)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keywords.csv"


def test_chosen_keywords_take_the_place_of_the_packaged_ones_and_other_columns_are_passed_over(
    path: Path,
) -> None:
    path.write_text(
        "\ufeffforum,kind,keyword,word_rank\nso,performance,Slower,1\nso,Program crash,nan,9\n"
        ",,,\nso,performance,leak,3\nso,performance,slower,1\n",
        encoding="utf-8",
    )
    found = read_keywords("so", path, PACKAGED)
    assert found.keywords["performance"] == ("slower", "leak")
    assert found.keywords["program_crash"] == ("nan",)
    assert found.keywords["installation"] == ()
    assert (found.keyword_set, found.stop_words) == ("chosen", PACKAGED.stop_words)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: the column kind is missing; perf-assets query question_keyword_candidates"),
        ("kind\nperformance\n", "line 1: the column keyword is missing"),
        ("kind,keyword\nspeed,slow\n", "line 2: 'speed' is not a kind of question; "),
        ("kind,keyword\nperformance\n", "line 2: '' is not a keyword"),
        (
            "kind,keyword\nperformance,run slow\n",
            "line 2: 'run slow' is not a keyword; write one word",
        ),
        ('kind,keyword\nperformance,"slow\nfast"\n', "is not a keyword"),
        ('kind,keyword\nperformance,"slow\n', "not a valid CSV file"),
        ("kind,keyword,kind\nperformance,slow,x\n", "line 1: the column kind occurs twice"),
        ("kind,keyword\n,\n", "no keyword of so is left"),
        (f"kind,keyword\nperformance,{'x' * 65}\n", "is not a keyword"),
        (f"kind,keyword\nperformance,{'x' * 200_000}\n", "not a valid CSV file"),
    ],
)
def test_a_mistake_is_one_sentence_with_file_and_line(
    path: Path, text: str, complaint: str
) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PerfAssetsError) as caught:
        read_keywords("so", path, PACKAGED)
    message = str(caught.value)
    assert message.startswith(str(path)) and complaint in message
    assert "\n" not in message and len(message) < 400


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_file_of_a_spreadsheet_of_another_country_is_read(path: Path, delimiter: str) -> None:
    rows = (("kind", "keyword"), ("performance", "slower"))
    path.write_text("".join(f"{delimiter.join(row)}\r\n" for row in rows), encoding="utf-8")
    assert read_keywords("so", path, PACKAGED).keywords["performance"] == ("slower",)


def test_a_file_that_cannot_be_read_is_named(path: Path) -> None:
    with pytest.raises(PerfAssetsError, match=r"keywords of so cannot be read: No such file"):
        read_keywords("so", path, PACKAGED)
    path.write_bytes(b"kind,keyword\n\xff")
    with pytest.raises(PerfAssetsError, match="not UTF-8 text"):
        read_keywords("so", path, PACKAGED)
