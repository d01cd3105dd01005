"""Files of classified questions, and the words that tell kinds apart: read, or refused by line."""

from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.sources.question_kinds.kind_files import read_labelled, wordlists


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labelled.csv"


def test_rows_are_read_in_any_order_of_columns_and_case_of_kinds(path: Path) -> None:
    path.write_text(
        "\ufeffkind,question_id\nPerformance, 7 \n\n,\n  program   crash ,7\ninstallation,8\n",
        encoding="utf-8",
    )
    assert read_labelled("so", path).rows() == [
        ("so", 7, "performance", "labelled.csv", 2),
        ("so", 7, "program_crash", "labelled.csv", 5),
        ("so", 8, "installation", "labelled.csv", 6),
    ]


def test_a_header_alone_labels_nothing(path: Path) -> None:
    path.write_text("question_id,kind\n", encoding="utf-8")
    assert read_labelled("so", path).is_empty()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: the columns must be question_id and kind, each once"),
        ("question_id\n7\n", "line 1: the columns must be question_id and kind, each once"),
        ("kind,kind\n", "line 1: the columns must be question_id and kind, each once"),
        ("question_id,kind,note\n", "line 1: unknown column 'note'; the columns are question_id"),
        ("7,performance\n", "line 1: unknown column '7'"),
        ("question_id,kind\n7,slow\n", "line 2: 'slow' is not a kind of question; "),
        ("question_id,kind\n7,performence\n", "did you mean performance?"),
        ("question_id,kind\n7,\n", "line 2: '' is not a kind of question; known are program crash"),
        ("question_id,kind\n7.5,performance\n", "line 2: '7.5' is not a question number"),
        ("question_id,kind\n-7,performance\n", "line 2: '-7' is not a question number"),
        ("question_id,kind\n0,performance\n", "line 2: '0' is not a question number"),
        ("question_id,kind\n²,performance\n", "line 2: '²' is not a question number"),
        (f"question_id,kind\n{'9' * 30},performance\n", "is not a question number"),
        ("question_id,kind\n7,performance,x\n", "line 2: 3 values where there are 2 columns"),
        (
            "question_id,kind\n7,performance\n8,performance\n7,PERFORMANCE\n",
            "line 4: question 7 has the kind performance in line 2 already; remove one of them",
        ),
        (f"question_id,kind\n7,{'x' * 200_000}\n", "not a valid CSV file: field larger"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence_with_file_and_line(
    path: Path, text: str, complaint: str
) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PerfAssetsError) as caught:
        read_labelled("so", path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert complaint in message
    assert "\n" not in message
    assert len(message) < 400


def test_a_file_that_cannot_be_read_is_named(path: Path) -> None:
    with pytest.raises(PerfAssetsError, match=r"labelled questions of so cannot be read: No such"):
        read_labelled("so", path)
    path.write_bytes(b"question_id,kind\n7,\xff\n")
    with pytest.raises(PerfAssetsError, match="are not UTF-8 text; save the file as UTF-8"):
        read_labelled("so", path)


def test_every_kind_has_keywords_and_none_of_them_is_lost() -> None:
    lists = wordlists()
    assert tuple(lists.keywords) == KINDS
    for kind, words in lists.keywords.items():
        assert len(words) >= 10, kind
        assert len(set(words)) == len(words), kind
        assert all(word == word.casefold() and len(word) > 1 for word in words), kind
    # Words that tell kinds apart are none of those that all texts have.
    for word in ("how", "why", "what", "not", "cannot"):
        assert word not in lists.stop_words
