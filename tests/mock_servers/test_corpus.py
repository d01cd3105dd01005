"""Reading a corpus directory: what is accepted, and that each defect is named with its place."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.errors import PerfAssetsError
from perf_assets.mock_servers.corpus import newest_month, read_corpus
from tests.paths import CHAINER

ISSUE = {
    "number": 7,
    "title": "Slow",
    "state": "open",
    "created_at": "2021-01-31T23:59:59Z",
    "updated_at": "2021-02-01T00:00:00Z",
}
CLOSED = ISSUE | {"state": "closed", "closed_at": "2021-03-01T00:00:00Z"}
COMMENT = {
    "id": 1,
    "issue_number": 7,
    "user": None,
    "body": "me too",
    "created_at": "2021-02-01T00:00:00Z",
}
EVENT = {"id": 1, "issue_number": 7, "event": "reopened", "created_at": "2021-02-01T00:00:00Z"}
PULL = {"number": 8, "title": "Fix", "state": "open", "created_at": "2021-02-01T00:00:00Z"}


def write(path: Path, records) -> None:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.fixture
def make(tmp_path):
    """Writes a corpus of o/n; a file given as None is left out."""

    def make_corpus(**files) -> Path:
        directory = tmp_path / "o+n"
        directory.mkdir(exist_ok=True)
        for name, records in ({"issues": [ISSUE], "comments": []} | files).items():
            if records is not None:
                write(directory / f"{name}.jsonl", records)
        return directory

    return make_corpus


def test_the_repository_is_named_by_argument_then_by_file_then_by_directory(make):
    directory = make()
    assert read_corpus(directory).repository == "o/n"
    (directory / "repository.json").write_text('{"full_name": "from/file"}')
    assert read_corpus(directory).repository == "from/file"
    assert read_corpus(directory, "from/argument").repository == "from/argument"


def test_a_corpus_that_does_not_say_its_repository_is_refused(make):
    nameless = make().rename(make().parent / "nameless")
    with pytest.raises(PerfAssetsError, match="pass --repository"):
        read_corpus(nameless)


@pytest.mark.parametrize("name", ["plain", "a/b/c", "../x", "a/..", "a/", "a b/c"])
def test_a_malformed_repository_name_is_refused(make, name):
    with pytest.raises(PerfAssetsError, match="is not a repository name"):
        read_corpus(make(), name)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"full_name": 3}'])
def test_a_malformed_repository_file_is_named(make, content):
    directory = make()
    (directory / "repository.json").write_text(content)
    with pytest.raises(PerfAssetsError, match=r"repository\.json: "):
        read_corpus(directory)


def test_a_repository_may_be_archived(make):
    directory = make()
    file = directory / "repository.json"
    file.write_text('{"full_name": "a/b", "archived_at": "2020-01-31T12:00:00Z"}')
    assert read_corpus(directory).archived_at == "2020-01-31T12:00:00Z"
    for moment in ('"yesterday"', "3"):
        file.write_text(f'{{"full_name": "a/b", "archived_at": {moment}}}')
        with pytest.raises(PerfAssetsError, match=r"repository\.json: archived_at must be a time"):
            read_corpus(directory)


def test_packed_and_plain_files_read_the_same(make):
    directory = make(issues=[CLOSED], comments=[COMMENT])
    plain = read_corpus(directory)
    for name in ("issues", "comments"):
        (directory / f"{name}.jsonl").unlink()
    write(directory / "issues.jsonl.gz", [CLOSED])
    write(directory / "comments.jsonl.gz", [COMMENT])
    assert read_corpus(directory) == plain


def test_comments_and_events_are_given_oldest_first(make):
    second = COMMENT | {"id": 2, "created_at": "2021-01-31T23:59:59Z"}
    later = EVENT | {"id": 2, "created_at": "2021-02-02T01:00:00+02:00"}
    corpus = read_corpus(
        make(
            comments=[COMMENT, second], events=[later, EVENT | {"created_at": ISSUE["updated_at"]}]
        )
    )
    assert [comment["id"] for comment in corpus.comments[7]] == [2, 1]
    assert [event["id"] for event in corpus.events[7]] == [1, 2]
    assert corpus.events[7][1]["created_at"] == "2021-02-01T23:00:00Z"


def test_a_closed_issue_without_events_gets_one_closed_event(make):
    (event,) = read_corpus(make(issues=[CLOSED])).events[7]
    assert (event["event"], event["created_at"]) == ("closed", CLOSED["closed_at"])
    assert read_corpus(make(issues=[ISSUE])).events == {}
    assert read_corpus(make(issues=[CLOSED], events=[EVENT])).events == {7: [EVENT]}


def test_a_damaged_archive_is_named_with_the_last_good_line(make):
    directory = make(issues=None)
    path = directory / "issues.jsonl.gz"
    write(path, [ISSUE | {"number": n, "body": str(n) * 50} for n in range(1, 2000)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(PerfAssetsError, match=r"issues\.jsonl\.gz: .*after line \d+"):
        read_corpus(directory)
    path.write_bytes(b"not an archive")
    with pytest.raises(PerfAssetsError, match="damaged or cut after line 0"):
        read_corpus(directory)


def test_missing_and_doubled_files_are_refused(make, tmp_path):
    with pytest.raises(PerfAssetsError, match="no such corpus directory"):
        read_corpus(tmp_path / "absent", "o/n")
    with pytest.raises(PerfAssetsError, match=r"needs issues\.jsonl"):
        read_corpus(make(issues=None))
    directory = make()
    write(directory / "issues.jsonl.gz", [ISSUE])
    with pytest.raises(PerfAssetsError, match="remove one of the two"):
        read_corpus(directory)
    with pytest.raises(PerfAssetsError, match="no such corpus directory"):
        newest_month(tmp_path / "absent")


def without(record, key):
    return {name: value for name, value in record.items() if name != key}


BAD_LINES = [
    ("issues", "{", "not JSON"),
    ("issues", "", "not JSON"),
    ("issues", "[1]", "not a JSON object"),
    *(("issues", without(ISSUE, key), f"{key}: this key is missing") for key in ISSUE),
    ("issues", ISSUE | {"number": "7"}, "number: a whole number is needed here"),
    ("issues", ISSUE | {"number": True}, "number: a whole number is needed here"),
    ("issues", ISSUE | {"number": 0}, "number: input should be greater than 0"),
    ("issues", ISSUE | {"title": None}, "title: a text is needed here"),
    ("issues", ISSUE | {"body": 3}, "body: a text is needed here"),
    ("issues", ISSUE | {"user": "x"}, "user: a table of keys"),
    ("issues", ISSUE | {"user": {}}, "user\\.login: this key is missing"),
    ("issues", ISSUE | {"labels": ["bug"]}, "labels\\[1\\]: a table"),
    (
        "issues",
        ISSUE | {"state": "merged"},
        "state: this is not a known value; known are open",
    ),
    ("issues", ISSUE | {"state": "closed"}, "closed_at is None"),
    ("issues", ISSUE | {"closed_at": "2021-03-01T00:00:00Z"}, "it is open, but"),
    ("issues", ISSUE | {"created_at": "yesterday"}, "no time with its zone"),
    ("issues", ISSUE | {"updated_at": "2021-03-01T00:00:00"}, "no time with its zone"),
    ("issues", ISSUE | {"created_at": "0001-01-01T00:00:00+23:00"}, "no time with its zone"),
    ("issues", ISSUE | {"pull_request": {}}, r"belongs in pulls\.jsonl"),
    ("issues", ISSUE | {"number": 6}, "issue 6 is here a second time"),
    *(
        ("comments", without(COMMENT, key), f"{key}: this key is missing")
        for key in COMMENT
        if key not in ("user", "body")
    ),
    ("comments", COMMENT | {"issue_number": 99}, "issue 99, which the corpus does not have"),
    ("comments", COMMENT | {"id": 6}, "the id 6 is here a second time"),
    ("comments", COMMENT | {"created_at": "2021-02-30T00:00:00Z"}, "no time"),
    ("events", EVENT | {"issue_number": 99}, "issue 99, which the corpus does not have"),
    ("events", EVENT | {"event": "labeled"}, "needs the key label"),
    (
        "events",
        EVENT | {"event": "renamed", "rename": {"from": "a"}},
        r"rename\.to: this key is missing",
    ),
    (
        "events",
        EVENT | {"event": "closed", "closer": {"type": "person"}},
        "known are commit, pull_request",
    ),
    ("events", EVENT | {"event": "closed", "closer": {"type": "commit"}}, "needs the key oid"),
    ("pulls", PULL | {"number": 6}, "the number 6 already belongs to an issue"),
    ("pulls", PULL | {"merged_at": "soon"}, "no time"),
]
GOOD_LINES = {
    "issues": ISSUE | {"number": 6},
    "comments": COMMENT | {"id": 6},
    "events": EVENT | {"id": 6},
    "pulls": PULL,
}


@pytest.mark.parametrize(("name", "line", "reason"), BAD_LINES)
def test_a_bad_line_is_named_by_file_and_number(make, name, line, reason):
    files = {"issues": [GOOD_LINES["issues"], ISSUE]}
    files[name] = [GOOD_LINES[name], line]
    with pytest.raises(PerfAssetsError, match=rf"{name}\.jsonl, line 2: .*{reason}"):
        read_corpus(make(**files))


def test_a_comment_that_is_not_text_in_utf8_is_named(make):
    directory = make()
    (directory / "comments.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(PerfAssetsError, match=r"comments\.jsonl, line 1: this is not JSON"):
        read_corpus(directory)


@given(st.lists(st.datetimes(timezones=st.timezones()), max_size=5))
def test_the_newest_month_is_that_of_the_latest_time_of_any_issue(tmp_path_factory, moments):
    moments = [moment for moment in moments if 1900 < moment.year < 9000]
    directory = tmp_path_factory.mktemp("corpus")
    write(
        directory / "issues.jsonl",
        [
            CLOSED | {"number": n, "closed_at": moment.isoformat()}
            for n, moment in enumerate(moments, start=1)
        ],
    )
    known = [datetime.fromisoformat(CLOSED["updated_at"]), *moments]
    expected = max(known).astimezone(UTC).strftime("%Y-%m") if moments else None
    assert newest_month(directory) == expected


@pytest.mark.skipif(not CHAINER.is_dir(), reason="the shared chainer data is not on this machine")
def test_the_chainer_corpus_reads_whole():
    corpus = read_corpus(CHAINER, "chainer/chainer")
    assert len(corpus.issues) == 338
    assert sum(map(len, corpus.comments.values())) == 701
    assert sum(map(len, corpus.events.values())) == 338
    assert newest_month(CHAINER) == "2020-07"
