"""Reading a corpus directory: what is accepted, and that each defect is named with its place."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.corpus import newest_month, read_corpus
from perf_assets.base.errors import PerfAssetsError
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


@pytest.mark.parametrize("name", ["plain", "a/b/c", "../x", "a/..", "a/", "a b/c", "_a/b"])
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
    with pytest.raises(PerfAssetsError, match="this corpus directory does not exist"):
        read_corpus(tmp_path / "absent", "o/n")
    with pytest.raises(PerfAssetsError, match=r"needs issues\.jsonl"):
        read_corpus(make(issues=None))
    directory = make()
    write(directory / "issues.jsonl.gz", [ISSUE])
    with pytest.raises(PerfAssetsError, match="remove one of them"):
        read_corpus(directory)
    with pytest.raises(PerfAssetsError, match="this corpus directory does not exist"):
        newest_month(tmp_path / "absent")


def without(record, key):
    return {name: value for name, value in record.items() if name != key}


@pytest.mark.parametrize(
    ("line", "reason"),
    [("{", "not JSON"), ("", "not JSON"), ("[1]", "not a JSON object")],
)
@pytest.mark.parametrize("name", ["issues", "comments", "events", "pulls"])
def test_refuses_a_line_that_is_not_a_json_object(make, name, line, reason):
    files = {"issues": [GOOD_LINES["issues"], ISSUE]}
    files[name] = [GOOD_LINES[name], line]
    with pytest.raises(PerfAssetsError, match=rf"{name}\.jsonl, line 2: .*{reason}"):
        read_corpus(make(**files))


UNUSABLE = [
    *(("issues", without(ISSUE, key), f"{key}: this key is missing") for key in ISSUE),
    ("issues", ISSUE | {"number": "7"}, "number: a whole number is needed here"),
    ("issues", ISSUE | {"number": True}, "number: a whole number is needed here"),
    ("issues", ISSUE | {"number": 0}, "number: input should be greater than 0"),
    ("issues", ISSUE | {"title": None}, "title: a text is needed here"),
    ("issues", ISSUE | {"body": 3}, "body: a text is needed here"),
    ("issues", ISSUE | {"user": "x"}, "user: a table of keys"),
    ("issues", ISSUE | {"user": {"login": 3}}, "user.login: a text"),
    ("issues", ISSUE | {"labels": "bug"}, "labels: a list"),
    ("issues", ISSUE | {"state": "merged"}, "state: this is not a known value; known are open"),
    ("issues", ISSUE | {"created_at": "yesterday"}, "not a time with a zone"),
    ("issues", ISSUE | {"updated_at": "2021-03-01T00:00:00"}, "not a time with a zone"),
    ("issues", ISSUE | {"created_at": "0001-01-01T00:00:00+23:00"}, "not a time with a zone"),
    ("issues", CLOSED | {"closed_at": "soon"}, "closed_at: this is not a time"),
    ("issues", ISSUE | {"pull_request": {}}, "belongs in pulls.jsonl"),
    ("issues", ISSUE | {"pull_request": {"url": "u"}}, "belongs in pulls.jsonl"),
    ("issues", ISSUE | {"number": 6}, "another record has the same number"),
    *(
        ("comments", without(COMMENT, key), f"{key}: this key is missing")
        for key in COMMENT
        if key not in ("user", "body")
    ),
    ("comments", COMMENT | {"issue_number": 99}, "the corpus does not have its issue"),
    ("comments", COMMENT | {"id": 6}, "another record has the same id"),
    ("comments", COMMENT | {"created_at": "2021-02-30T00:00:00Z"}, "not a time"),
    ("events", EVENT | {"issue_number": 99}, "the corpus does not have its issue"),
    ("events", EVENT | {"event": "labeled"}, "needs the key label"),
    ("events", EVENT | {"event": "labeled", "label": None}, "needs the key label"),
    ("events", EVENT | {"event": "unlabeled", "label": {}}, "label.name: this key is missing"),
    (
        "events",
        EVENT | {"event": "renamed", "rename": {"from": "a"}},
        "rename.to: this key is missing",
    ),
    (
        "events",
        EVENT | {"event": "closed", "closer": {"type": "person"}},
        "known are commit, pull_request",
    ),
    ("events", EVENT | {"event": "closed", "closer": {"type": "commit"}}, "needs the key oid"),
    (
        "events",
        EVENT | {"event": "closed", "closer": {"type": "commit", "oid": "abc"}},
        "closer.oid: this is not a commit SHA",
    ),
    ("pulls", PULL | {"number": 6}, "the number already belongs to an issue"),
    ("pulls", PULL | {"merged_at": "soon"}, "not a time"),
    ("pulls", PULL | {"closes": ["#1"]}, "closes: a whole number is needed here"),
    ("pulls", PULL | {"merge_commit_sha": "abc"}, "this is not a commit SHA"),
]
GOOD_LINES = {
    "issues": ISSUE | {"number": 6},
    "comments": COMMENT | {"id": 6},
    "events": EVENT | {"id": 6},
    "pulls": PULL | {"number": 9},
}


@pytest.mark.parametrize(("name", "line", "reason"), UNUSABLE)
def test_sets_an_unusable_record_aside_and_keeps_the_others(make, caplog, name, line, reason):
    files = {"issues": [GOOD_LINES["issues"], ISSUE]}
    if name == "issues" and line.get("number") == 6:
        files["issues"] = [GOOD_LINES["issues"], ISSUE, line]
    elif name == "issues":
        files["issues"] = [GOOD_LINES["issues"], line]
    else:
        files[name] = [GOOD_LINES[name], line]
    corpus = read_corpus(make(**files))
    (left_out,) = corpus.set_aside
    assert (left_out.kind, left_out.count, left_out.line) == (name, 1, len(files[name]))
    assert reason in left_out.reason
    kept = vars(corpus)[name]
    if name in ("comments", "events"):
        kept = [record for records in kept.values() for record in records]
    assert len(kept) == len(files[name]) - 1
    (message,) = caplog.messages
    assert f"{name}.jsonl: set aside 1 {name[:-1]}, the first in line {left_out.line}: " in message
    assert message.isprintable()


def test_reports_the_records_of_one_reason_together(make, caplog):
    nameless = [without(ISSUE, "title") | {"number": n} for n in range(10, 1310)]
    corpus = read_corpus(make(issues=[ISSUE, *nameless, ISSUE | {"number": 8, "state": "merged"}]))
    assert [(entry.count, entry.line) for entry in corpus.set_aside] == [(1300, 2), (1, 1302)]
    assert "set aside 1,300 issues, the first in line 2: title: " in caplog.messages[0]
    assert "set aside 1 issue, the first in line 1302: state: " in caplog.messages[1]


def test_says_nothing_of_a_corpus_without_unusable_records(make, caplog):
    assert read_corpus(make(comments=[COMMENT], events=[EVENT], pulls=[PULL])).set_aside == ()
    assert newest_month(make(issues=[ISSUE, ISSUE | {"title": None}])) == "2021-02"
    assert caplog.messages == []


def test_keeps_the_newest_of_two_records_of_one_issue(make):
    newer = ISSUE | {"title": "Fast", "updated_at": "2021-02-03T00:00:00Z"}
    for lines in ([ISSUE, newer], [newer, ISSUE]):
        corpus = read_corpus(make(issues=lines))
        assert corpus.issues[7]["title"] == "Fast"
        assert [entry.count for entry in corpus.set_aside] == [1]


OF_TODAY = {
    "id": 5,
    "locked": True,
    "active_lock_reason": "spam",
    "type": {"id": 1, "name": "Bug", "description": None},
    "sub_issues_summary": {"total": 0, "completed": 0, "percent_completed": 0},
    "issue_dependencies_summary": {"blocked_by": 0, "blocking": 0},
    "state_reason": "duplicate",
    "performed_via_github_app": {"id": 2, "slug": "app"},
    "assignee": None,
    "milestone": None,
    "reactions": None,
    "user": None,
    "labels": None,
}


def test_accepts_and_keeps_the_fields_of_todays_issues(make):
    corpus = read_corpus(make(issues=[CLOSED | OF_TODAY, ISSUE | {"number": 8, "type": None}]))
    assert corpus.set_aside == ()
    for key, value in OF_TODAY.items():
        assert corpus.issues[7][key] == value
    assert corpus.issues[8]["type"] is None


@pytest.mark.parametrize("nothing", [None, {"html_url": None, "diff_url": None, "patch_url": None}])
def test_an_issue_of_2012_is_not_a_pull_request(make, nothing):
    corpus = read_corpus(make(issues=[ISSUE | {"pull_request": nothing}]))
    assert "pull_request" not in corpus.issues[7]
    assert corpus.set_aside == ()


def test_reads_labels_that_are_plain_texts_and_leaves_nameless_ones_out(make):
    labels = ["bug", None, {}, {"name": None}, {"name": "slow", "color": "red"}]
    corpus = read_corpus(make(issues=[ISSUE | {"labels": labels}]))
    assert corpus.issues[7]["labels"] == [{"name": "bug"}, {"name": "slow", "color": "red"}]


def test_an_account_without_a_login_is_unknown(make):
    corpus = read_corpus(
        make(
            issues=[ISSUE | {"user": {}}],
            comments=[COMMENT | {"user": {"login": None, "id": 3}}],
            events=[EVENT | {"actor": {}}],
        )
    )
    assert corpus.set_aside == ()
    assert corpus.issues[7]["user"] is None
    assert corpus.comments[7][0]["user"] is None
    assert corpus.events[7][0]["actor"] is None


def test_an_issue_that_was_opened_again_has_no_closing_time(make):
    corpus = read_corpus(make(issues=[ISSUE | {"closed_at": "2021-03-01T00:00:00Z"}]))
    assert corpus.issues[7]["closed_at"] is None
    assert corpus.events == {}


def test_takes_a_missing_closing_time_from_the_last_closed_event(make):
    closed = CLOSED | {"closed_at": None}
    events = [
        EVENT | {"id": n, "event": kind, "created_at": f"2021-02-0{n}T00:00:00Z"}
        for n, kind in enumerate(("closed", "reopened", "closed", "labeled"), start=1)
    ]
    corpus = read_corpus(make(issues=[closed, closed | {"number": 8}], events=events))
    assert corpus.issues[7]["closed_at"] == "2021-02-03T00:00:00Z"
    assert corpus.issues[8]["closed_at"] is None
    assert 8 not in corpus.events


def test_keeps_events_of_unknown_kinds_and_closed_events_without_a_commit(make):
    events = [
        EVENT | {"event": "added_to_merge_queue", "label": None, "anything": {"a": [1]}},
        EVENT | {"id": 2, "event": "closed", "commit_id": None, "commit_url": None},
        EVENT | {"id": 3, "event": "closed", "commit_id": "no sha", "commit_url": ""},
    ]
    corpus = read_corpus(make(events=events))
    assert corpus.set_aside == ()
    assert [event["event"] for event in corpus.events[7]] == [e["event"] for e in events]
    assert corpus.events[7][2]["commit_id"] is None


ADDRESS = "https://api.github.com/repos/o/n/issues/7"


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("comments", without(COMMENT, "issue_number") | {"issue_url": ADDRESS}),
        ("events", without(EVENT, "issue_number") | {"issue": {"number": 7, "title": "Slow"}}),
    ],
)
def test_finds_the_issue_of_a_record_as_rest_writes_it(make, name, record):
    corpus = read_corpus(make(**{name: [record]}))
    assert vars(corpus)[name][7][0]["issue_number"] == 7
    assert corpus.set_aside == ()


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
