"""Dumps: what is read of them, however they are packed, cut, spoilt or interrupted."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import py7zr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.stackexchange import dump as dump_module
from perf_assets.sources.stackexchange import dump_files
from perf_assets.sources.stackexchange.dump import Numbers, read_dump
from perf_assets.sources.stackexchange.dump_rows import Rows, attributes
from perf_assets.sources.stackexchange.extract import Extract, open_extract
from tests.effort import some
from tests.forum_places import (
    ANSWER,
    HEAD,
    QUESTION,
    extracted,
    forum_of,
    planned,
    posts,
    written,
)

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("forum"), planned())


@pytest.fixture(scope="module")
def content(folder, tmp_path_factory):
    return extracted(folder, tmp_path_factory.mktemp("extract") / "x.duckdb")


def test_what_is_read_is_what_an_xml_parser_reads(folder, content) -> None:
    rows = [dict(row.attrib) for row in ElementTree.parse(folder / "Posts.xml").getroot()]
    ours = ("tensorkit", "gradlib")
    questions = [row for row in rows if row["PostTypeId"] == "1"]
    mine = {row["Id"]: row for row in questions if any(tag in row["Tags"] for tag in ours)}
    answers = {row["Id"]: row for row in rows if row.get("ParentId") in mine}
    questions = content["questions"]
    assert [str(number) for number in questions["question_id"]] == sorted(mine, key=int)
    for question in questions.iter_rows(named=True):
        row = mine[str(question["question_id"])]
        assert question["title"] == row["Title"]
        assert question["body_html"] == row["Body"]
        assert question["owner"] == row.get("OwnerUserId", row.get("OwnerDisplayName"))
        assert question["score"] == int(row["Score"])
    assert [str(number) for number in content["answers"]["answer_id"]] == sorted(answers, key=int)


def test_every_post_is_counted_once(folder, tmp_path) -> None:
    kinds = [row.get("PostTypeId") for row in ElementTree.parse(folder / "Posts.xml").getroot()]
    with open_extract(tmp_path / "x.duckdb") as extract:
        read_dump(forum_of(folder), extract)
        state = extract.state("Posts")
    assert state is not None and state["is_done"]
    assert state["questions"] + state["other_questions"] == kinds.count("1")
    assert state["answers"] + state["other_answers"] == kinds.count("2")
    assert state["other_posts"] == len(kinds) - kinds.count("1") - kinds.count("2")
    assert state["other_posts"] > 0 < state["other_answers"]
    assert state["next_byte"] == (folder / "Posts.xml").stat().st_size


@pytest.mark.parametrize("packing", ["file", "zst", "7z of a site", "7z of each file"])
def test_a_packed_dump_says_the_same(packing, folder, content, tmp_path) -> None:
    names = ("Posts.xml", "PostLinks.xml", "PostHistory.xml", "Comments.xml")
    if packing == "file":
        dump = folder / "Posts.xml"
    elif packing == "zst":
        for name in names:
            packed = zstd.compress((folder / name).read_bytes())
            (tmp_path / f"{name}.zst").write_bytes(packed)
        dump = tmp_path / "Posts.xml.zst"
    elif packing == "7z of a site":
        dump = tmp_path / "stackoverflow.com.7z"
        with py7zr.SevenZipFile(dump, "w") as archive:
            for name in names:
                archive.write(folder / name, name)
    else:
        for name in names:
            path = tmp_path / f"stackoverflow.com-{name.removesuffix('.xml')}.7z"
            with py7zr.SevenZipFile(path, "w") as archive:
                archive.write(folder / name, name)
        dump = tmp_path
    found = extracted(dump, tmp_path / "x.duckdb")
    for table, rows in content.items():
        assert_frame_equal(found[table], rows)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=30))
def test_rows_are_the_same_however_the_bytes_come(sizes) -> None:
    rows = [QUESTION.format(id=1), "<!-- a > remark -->", ANSWER.format(id=2, parent=1), "<row />"]
    data = f"\ufeff{HEAD}{''.join(rows)}</posts>".encode()

    def pieces(cuts: list[int]) -> list[tuple[object, ...]]:
        cutter, found, start = Rows("x", "posts"), [], 0
        for size in [*cuts, len(data)]:
            found += cutter.feed(data[start : start + size])
            start += size
        found += cutter.end()
        assert cutter.offset == len(data)
        return [tuple(piece) for piece in found]

    whole = pieces([])
    assert pieces(sizes) == whole
    assert [data[offset : offset + 4] for offset, _, _ in whole] == [b"<row"] * 3
    assert attributes(whole[0][1])["Title"] == "Why"


SPOILT = {
    "<row Id='7' PostTypeId='1' Title='cut": "cut",
    '<row Id="7" PostTypeId="1" PostTypeId="1" />': "duplicate attribute",
    '<row Id="7 PostTypeId="1" />': "not well-formed",
    "<row PostTypeId='1' Tags='|tensorkit|' CreationDate='2020-02-02'/>": "it has no Id",
    QUESTION.format(id="seven"): "its Id is not a number: 'seven'",
    QUESTION.format(id=7).replace("2020-01-02T", "2020-13-02T"): "its CreationDate is not a time",
    QUESTION.format(id=7).replace('Title="Why"', ""): "it has no Title",
    QUESTION.format(id=7).replace("Why?", "&nbsp;"): "undefined entity",
    QUESTION.format(id=7).replace("2020-01-02T00:00:00.000", ""): "it has no CreationDate",
    QUESTION.format(id=7).replace("2020-01-02T", "0000-00-00T"): "its CreationDate is not a time",
    QUESTION.format(id=7).replace("2020-01-02T", "0001-01-01T"): "its CreationDate is not a time",
    QUESTION.format(id=7).replace("Why?", "\udcff"): "not in UTF-8",
    ANSWER.format(id=7, parent=""): "it has no ParentId",
    QUESTION.format(id=1): "a question 1 was there before",
    QUESTION.format(id=7) + " text": "text between this row and the next",
    "<rows />": "not a row",
    '<row Id="7" />': "it has no PostTypeId",
}


@pytest.mark.parametrize("row", SPOILT)
def test_a_spoilt_row_is_reported_with_its_place_and_the_others_are_read(row, tmp_path) -> None:
    good = [QUESTION.format(id=number) for number in range(1, 6)]
    lines = [*good, row, ANSWER.format(id=8, parent=1), QUESTION.format(id=9)]
    data = f"{HEAD}{chr(10).join(lines)}\n</posts>\n".encode(errors="surrogateescape")
    (tmp_path / "Posts.xml").write_bytes(data)
    found = extracted(tmp_path / "Posts.xml", tmp_path / "x.duckdb")
    (reject,) = found["rejects"].rows(named=True)
    assert SPOILT[row] in reject["reason"]
    assert reject["byte_offset"] == data.index(row.encode(errors="surrogateescape"), 900)
    assert found["questions"]["question_id"].to_list() == [1, 2, 3, 4, 5, 9]
    assert found["answers"]["answer_id"].to_list() == [8]


@pytest.mark.parametrize(
    ("written", "read", "replaced"),
    [
        ("&#xE;", "\ufffd", 1),
        ("&#14;&#x0;", "\ufffd\ufffd", 2),
        ("\x0e\x1f", "\ufffd\ufffd", 2),
        ("&#xD83D;&#xDE00;", "😀", 1),
        ("&#55357;&#56832;", "😀", 1),
        ("&#xD83D; &#xDE00;", "\ufffd \ufffd", 2),
        ("&#xFFFF;&#x110000;&#99999999999999999999;", "\ufffd" * 3, 3),
        ("&#9;&#10;&#128512;&amp;", "\t\n😀&", 0),
    ],
)
def test_characters_that_xml_does_not_allow_are_replaced_and_counted(
    written, read, replaced, tmp_path
) -> None:
    rows = [QUESTION.format(id=1).replace("Why?", written), ANSWER.format(id=2, parent=1)]
    with open_extract(tmp_path / "x.duckdb") as extract:
        read_dump(forum_of(posts("\n".join(rows), tmp_path)), extract)
        assert read in extract.frame("FROM questions")["body_html"].item()
        state = extract.state("Posts")
    assert (state["replaced_characters"], state["rejected"], state["answers"]) == (replaced, 0, 1)


def test_a_file_that_ends_too_early_is_read_as_far_as_it_goes(tmp_path) -> None:
    whole = f"{HEAD}{QUESTION.format(id=1)}\n{QUESTION.format(id=2)}"
    (tmp_path / "Posts.xml").write_text(whole[:-30])
    found = extracted(tmp_path, tmp_path / "x.duckdb")
    assert found["questions"]["question_id"].to_list() == [1]
    assert [reason.split(":")[0] for reason in found["rejects"]["reason"]] == [
        "the row is cut",
        "the file ends before </posts>",
    ]


REFUSED = {
    b'<?xml version="1.0"?><!DOCTYPE posts [<!ENTITY a "b">]><posts></posts>': "<!DOCTYPE",
    f"{HEAD}<!ENTITY a SYSTEM 'file:///etc/passwd'></posts>".encode(): "<!ENTITY",
    b"<html><body>Not found</body></html>": "it begins with <html>",
    b"Not found": "it has no element <posts>",
    b"Not found <posts>": "it does not begin with <",
    b"": "it has no element <posts>",
    f"{HEAD}{QUESTION}</posts>".encode("utf-16"): "the file is in UTF-16",
    b'<?xml version="1.0" encoding="ISO-8859-1"?><posts></posts>': "the file is in iso-8859-1",
    (HEAD + QUESTION.format(id=1).replace("Why?", "é") + "</posts>").encode("latin-1"): (
        "not in UTF-8, as a dump is: 1 of 1 rows"
    ),
}


@pytest.mark.parametrize("data", REFUSED)
def test_what_is_not_a_dump_is_refused_in_one_sentence(data, tmp_path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_bytes(data)
    with pytest.raises(PerfAssetsError) as error:
        extracted(path, tmp_path / "x.duckdb")
    assert str(path) in str(error.value) and REFUSED[data] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_place_without_a_dump_is_refused(tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    with py7zr.SevenZipFile(tmp_path / "Votes.7z", "w") as archive:
        archive.writestr("<votes/>", "Votes.xml")
    (tmp_path / "Posts.7z").write_bytes(b"7z\xbc\xaf no archive")
    (tmp_path / "Posts.xml.zst").write_bytes(b"not packed")
    for name, message in {
        "nowhere": "this dump does not exist",
        "empty": "the folder has no Posts.xml",
        "Votes.7z": "it holds Votes, and no Posts.xml",
        "Posts.7z": "it is not a 7z archive, or is damaged",
        "Posts.xml.zst": "it is not packed by Zstandard",
    }.items():
        with pytest.raises(PerfAssetsError, match=message):
            extracted(tmp_path / name, tmp_path / "x.duckdb")


def test_an_answer_may_stand_before_its_question(tmp_path) -> None:
    """It was moved to a younger question (higher number), or the file is in no order."""
    moved = [ANSWER.format(id=2, parent=5), QUESTION.format(id=5), ANSWER.format(id=6, parent=5)]
    found = extracted(posts("\n".join(moved), tmp_path), tmp_path / "a.duckdb")
    assert found["answers"]["answer_id"].to_list() == [2, 6]
    mixed = [QUESTION.format(id=9), ANSWER.format(id=4, parent=3), QUESTION.format(id=3)]
    found = extracted(posts("\n".join(mixed), tmp_path), tmp_path / "b.duckdb")
    assert found["answers"]["answer_id"].to_list() == [4]
    assert found["questions"]["question_id"].to_list() == [3, 9]


class _Killed(BaseException):
    pass


@pytest.mark.exhaustive
@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=4))
def test_reading_goes_on_where_it_was_left(folder, content, tmp_path_factory, moments) -> None:
    path = tmp_path_factory.mktemp("killed") / "x.duckdb"
    undisturbed = Extract.add
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dump_files, "CHUNK", 20_000)
        patch.setattr(dump_module, "AT_ONCE", 30_000)
        for writes in moments:
            left = [writes]

            def add(self: Extract, *arguments: object, left: list[int] = left) -> None:
                if left[0] == 0:
                    raise _Killed
                left[0] -= 1
                undisturbed(self, *arguments)

            with pytest.MonkeyPatch.context() as kill:
                kill.setattr(Extract, "add", add)
                try:
                    extracted(folder, path)
                except _Killed:
                    continue
        found = extracted(folder, path)
    for table, rows in content.items():
        assert_frame_equal(found[table], rows)


def test_another_dump_or_another_study_is_read_again(folder, content, tmp_path) -> None:
    path = tmp_path / "x.duckdb"
    other = written(tmp_path / "other", planned(seed=1))
    assert not extracted(other, path)["questions"].equals(content["questions"])
    for table, rows in content.items():
        assert_frame_equal(extracted(folder, path)[table], rows)
    with open_extract(path) as extract:
        read_dump(forum_of(folder, start="2020-03"), extract)
        first = extract.frame("SELECT min(created_at) AS first FROM questions")["first"].item()
    assert f"{first:%Y-%m}" >= "2020-03"


def test_a_damaged_extract_is_made_again(folder, content, tmp_path) -> None:
    (tmp_path / "x.duckdb").write_bytes(b"damaged" * 1000)
    assert_frame_equal(extracted(folder, tmp_path / "x.duckdb")["answers"], content["answers"])


@given(st.sets(st.integers(0, 2**40)), st.sets(st.integers(0, 2**40)))
def test_numbers_hold_what_was_added_and_nothing_else(added, others) -> None:
    numbers = Numbers()
    for number in added:
        numbers.add(number)
    assert all(number in numbers for number in added)
    assert not any(number in numbers for number in others - added)
    assert -1 not in numbers


def test_entities_are_never_expanded(tmp_path) -> None:
    """A billion laughs, refused before anything of it is read."""
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<?xml version="1.0"?><!DOCTYPE posts [<!ENTITY l0 "ha">{laughs}]><posts>'
    (tmp_path / "Posts.xml").write_text(f'{text}<row Id="&l9;" /></posts>')
    with pytest.raises(PerfAssetsError, match="a dump may not declare types or entities"):
        extracted(tmp_path, tmp_path / "x.duckdb")


FAST = [{"id": py7zr.FILTER_LZMA2, "preset": 0}]
SAID = {
    b"<row ": "10,000 of 10,000 rows cannot be read, the last at byte 50025",
    b"spaces ": "at byte 23 a row has more than 67,108,864 bytes",
}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is told in kilobytes by Linux")
@pytest.mark.parametrize("chunk", some(*reversed(SAID)))
def test_an_archive_that_unpacks_to_nothing_but_length_is_refused_in_little_memory(
    tmp_path, chunk
) -> None:
    with (tmp_path / "Posts.xml").open("wb") as unpacked:
        unpacked.write(b'<?xml version="1.0"?>\n<posts>\n' + chunk * ((128 << 20) // len(chunk)))
    with py7zr.SevenZipFile(tmp_path / "Posts.7z", "w", filters=FAST) as archive:
        archive.write(tmp_path / "Posts.xml", "Posts.xml")
    (tmp_path / "Posts.xml").unlink()
    code = (
        "import re, sys; from pathlib import Path; "
        "from perf_assets.base.errors import PerfAssetsError; "
        "from tests.forum_places import extracted\n"
        "try: extracted(Path(sys.argv[1]), Path(sys.argv[1]) / 'x.duckdb')\n"
        "except PerfAssetsError as error: print(error)\n"
        "status = Path('/proc/self/status').read_text()\n"
        r"print(int(re.search(r'VmHWM:\s*(\d+)', status)[1]) >> 10)"
    )  # Not ru_maxrss: that counts what the process that started this one held.
    command = [sys.executable, "-c", code, tmp_path]
    message, megabytes = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    assert SAID[chunk] in message, message
    assert int(megabytes) < 600


@pytest.mark.parametrize(
    ("name", "module"), [("Posts.7z", "py7zr"), ("Posts.xml.zst", zstd.__name__)]
)
def test_without_the_library_that_unpacks_it_is_said_how_to_have_it(
    tmp_path, monkeypatch, name, module
) -> None:
    (tmp_path / name).write_bytes(b"")
    parent, _, child = module.partition(".")
    if child:
        monkeypatch.delattr(sys.modules[parent], child)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(PerfAssetsError, match=r"pip install 'perf-assets\[forums\]'"):
        extracted(tmp_path, tmp_path / "x.duckdb")


def test_reading_imports_no_dagster_and_no_github() -> None:
    code = (
        "import sys, perf_assets.sources.stackexchange.dump; "
        "print([name for name in ('dagster', 'github', 'py7zr', 'sklearn') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"


def test_frames_have_the_types_they_declare(content) -> None:
    assert content["questions"].schema["created_at"] == pl.Datetime("us", "UTC")
    assert content["questions"].schema["tags"] == pl.List(pl.String)
