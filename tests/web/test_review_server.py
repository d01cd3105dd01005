"""The review workbench over HTTP: who may do what, and that no answer is lost."""

import csv
import itertools
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError
from urllib.parse import quote

import duckdb
import pytest

from perf_assets.web.review import collecting
from perf_assets.web.review.store import Store
from tests.review_server import Server, serving, subject_of
from tests.support import Prepared, Ran, perf_assets

pytestmark = pytest.mark.slow

DRAWN = ("--sample", "6", "--unlabelled", "6", "--rater", "Ann", "--rater", "Ben")


def discussed(page: str, name: str) -> list[str]:
    """The selected answers of the question ``name`` in Discuss."""
    lists = re.findall(rf'<select name="{name}">(.*?)</select>', page, re.DOTALL)
    return [(re.findall(r"<option selected>([^<]*)", one) or [""])[0] for one in lists]


def judge(server: Server, cookie: str, verdict: str = "yes") -> tuple[str, str]:
    """Answer the next subject; it and the page that follows."""
    subject = subject_of(server.get("/", cookie)[1])
    cells = {"is_performance": verdict, "note": subject}
    status, page = server.post(
        "/answer", {"subject": subject, "cells": cells, "seconds": 2}, cookie
    )
    assert status == 200, page
    return subject, page


@pytest.fixture(scope="module")
def server(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that is asked for what it refuses: to start one takes seconds."""
    home = shutil.copytree(small.data_dir, tmp_path_factory.mktemp("served") / "home")
    with serving(home, *DRAWN) as started:
        yield started


@pytest.fixture
def imports(trusting_auditor: None, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would import sheets, to be run in the process of the tests.

    They have a process of their own else, which imports Dagster and Great Expectations anew.
    """
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> Ran:
        commands.append(command)
        sheets = [one for one in command if one.endswith(".csv")]
        return Ran(0, "".join(f"{one}: to be imported\n" for one in sheets), "")

    stand_in = SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(collecting, "child", stand_in)
    return commands


@pytest.mark.usefixtures("undrawn_report")
@pytest.mark.parametrize("is_by_page", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_two_raters_judge_blindly_and_bring_their_answers_in(
    data_dir: Path, request: pytest.FixtureRequest, *, is_by_page: bool
) -> None:
    few = (
        "--sample",
        "2",
        "--unlabelled",
        "3",
        "--differing",
        "9",
        "--rater",
        "Ann",
        "--rater",
        "Ben",
    )
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb")) as connection:
        # The texts of the sample are plain: rule and classifier seldom differ on them.
        connection.execute(
            "UPDATE labels.performance_probabilities SET is_performance = NOT is_performance "
            "WHERE number % 7 = 0"
        )
    with serving(data_dir, *few) as server:
        ann, ben = server.cookie("Ann"), server.cookie("Ben")
        status, page = server.get("/", ann)
        assert status == 200 and "The rule says" not in page and "<mark>" not in page
        assert "nobody judged anything yet" in server.post("/collect", {}, ann)[1]
        for cookie in (ann, ben):
            while subject_of(server.get("/", cookie)[1]):
                subject, _ = judge(server, cookie, "no" if cookie == ben else "yes")
        assert "Ann and Ben" in server.get("/discussion", ann)[1]
        store = Store(data_dir / "review")
        random_ones = sum(drawn == "random" for drawn in store.drawn().values())
        assert random_ones < len(store.drawn())
        seen = server.get(f"/?subject={subject.replace(' ', '%20').replace('/', '%2F')}", ann)[1]
        assert "The rule says" in seen
        agreed = {"subject": subject, "cells": {"is_performance": "yes", "note": "talked"}}
        assert server.post("/agree", agreed, ann)[0] == 200
        if is_by_page:
            status, said = server.post("/collect", {}, ann)
            assert status == 200
    if not is_by_page:
        commands = request.getfixturevalue("imports")
        waiting = "answers of the review page; perf-assets review collect"
        for command in (("status",), ("report",), ("review", "agreement")):
            assert waiting in perf_assets(*command, "--data-dir", data_dir).stderr
        said = perf_assets("review", "collect", "--data-dir", data_dir).stdout
        assert perf_assets("status", "--data-dir", data_dir).stderr == ""
        assert said.count(".csv: to be imported") == 2
        (command,) = commands
        assert command[:3] == [sys.executable, "-m", "perf_assets"]
        said = perf_assets(*command[3:]).stdout
    assert said.count(f"{random_ones} verdicts added") == 2
    assert len(store.answers("Ann")) == len(store.queue("Ann")) == len(store.drawn())
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        rows = connection.sql(
            "select rater, verdict, count(*) from reviews.verdicts group by all order by all"
        ).fetchall()
        raters = connection.sql("select distinct raters from analysis.rater_agreement").fetchall()
    assert rows[:2] == [("Ann", "yes", random_ones), ("Ben", "no", random_ones)]
    assert raters == [("Ann, Ben",)]  # what was agreed later is not a rater


LOOKS = {
    "Dis": ["/discussion"],
    "Rep": ["/?subject={}"],
    "Cod": ["/codebook"],
    "Csv": ["/codebook.csv"],
    "Not": ["/codebook.toml", "/"],
}
"""Raters and the pages that they open after they judged."""


def test_kappa_uses_answers_before_disclosure(data_dir: Path, imports: list[list[str]]) -> None:
    def send(path: str, rater: str, subject: str, verdict: str) -> tuple[int, str]:
        cells = {"is_performance": verdict}
        return server.post(path, {"subject": subject, "cells": cells}, cookies[rater])

    raters = ["Ann", *LOOKS, "Idle"]
    named = [part for rater in raters for part in ("--rater", rater)]
    with serving(data_dir, "--sample", "2", "--unlabelled", "2", *named) as server:
        cookies = {rater: server.cookie(rater) for rater in raters}
        store = Store(data_dir / "review")
        keys = sorted(store.queue("Ann"))
        subjects = [f"{one.kind} {one.container} {one.number}" for one in keys]
        first = dict(zip(subjects, ("yes", "no", "yes", "no"), strict=True))
        for rater in ("Ann", *LOOKS):
            assert ",0\r\n" not in server.get("/codebook.csv", cookies[rater])[1]
            assert " answers</span>" not in server.get("/codebook", cookies[rater])[1]
            for subject, verdict in first.items():
                assert send("/answer", rater, subject, verdict)[0] == 200
        for rater, pages in LOOKS.items():
            for page in pages:
                address = page.format(quote(subjects[0]))
                status, text = server.get(address, cookies[rater])
                assert status == 200
                counts = {"Cod": "0 answers</span>", "Csv": ",0\r\n"}.get(rater, "")
                assert counts in text
            assert send("/answer", rater, subjects[0], "no")[0] == 200
        given = {
            rater: [
                (one.cells["is_performance"], one.disclosed_at is None)
                for one in store.answers(rater, with_first=True)
                if one.key == keys[0]
            ]
            for rater in LOOKS
        }
        assert given.pop("Not") == [("no", True)]
        assert set(map(tuple, given.values())) == {(("yes", True), ("no", False))}
        shown = server.get("/discussion", cookies["Ann"])[1]
        kappas = dict(re.findall(r"<td>Ann and (\w+)</td><td>4</td>\s*<td>([^<\s]+)", shown))
        assert kappas == {**dict.fromkeys(LOOKS, "1.00"), "Not": "0.50"}
        assert "<b>Rep</b>, changed later: no" in shown

        assert send("/agree", "Ann", subjects[1], "yes")[0] == 200
        status, said = send("/agree", "Idle", subjects[1], "no")
        assert status == 403 and said.count(".") == 1 and "Judge this report yourself" in said
        assert send("/answer", "Not", subjects[1], "yes")[0] == 200
        assert send("/answer", "Ann", subjects[0], "no")[0] == 200
    assert perf_assets("review", "collect", "--data-dir", data_dir).returncode == 0
    sheets = {
        one.stem.removeprefix("bugs-"): {
            (row["repository"], row["number"]): row["is_performance"]
            for row in csv.DictReader(one.open(encoding="utf-8-sig"))
        }
        for one in (data_dir / "review").glob("*.csv")
    }
    of_keys = dict(zip([(one.container, one.number) for one in keys], first.values(), strict=True))
    assert sheets.pop("Not") == {**of_keys, (keys[0].container, keys[0].number): "no"}
    # All raters say no of the first report by now, and noted that they agreed on the second.
    assert sheets.pop("agreed") == dict(zip(list(of_keys)[:2], ("no", "yes"), strict=True))
    assert sheets == dict.fromkeys(("Ann", "Dis", "Rep", "Cod", "Csv"), of_keys)


def test_one_browser_reviews_two_studies_on_a_host(
    server: Server, small: Prepared, tmp_path: Path
) -> None:
    home = shutil.copytree(small.data_dir, tmp_path / "home")
    with serving(home, "--sample", "1", "--rater", "Ann") as other:
        cookies = [one.cookie("Ann") for one in (server, other)]
        # A browser keeps one value of a name for a host.
        jar = dict(one.split("=") for one in cookies)
        sent = "; ".join(f"{name}={value}" for name, value in jar.items())
        assert [one.get("/", sent)[0] for one in (server, other)] == [200, 200]


@pytest.mark.exhaustive
def test_answers_are_brought_in_once_whatever_brings_them(data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        for rater in ("Ann", "Ben"):
            judge(server, server.cookie(rater))
    said = [perf_assets("review", "collect", "--data-dir", data_dir).stdout for _ in range(2)]
    assert said[0].count("1 verdicts added") == 2
    assert said[1].count("imported already") == 2


def test_requests_without_the_secret_or_from_other_origins_are_refused(server: Server) -> None:
    ann, ben = server.cookie("Ann"), server.cookie("Ben")
    assert server.get("/")[0] == server.get("/discussion", "perf_assets_rater=x")[0] == 403
    assert server.get("/enter/nobody")[0] == 403
    subject = subject_of(server.get("/", ann)[1])
    sent = {"subject": subject, "cells": {"is_performance": "yes"}}
    assert server.post("/answer", sent)[0] == 403
    assert server.post("/answer", sent, ann, Origin="http://evil.example")[0] == 403
    assert server.post("/answer", sent, ann, Host="evil.example")[0] == 421
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert server.post("/answer", b"a=b", ann, **form)[0] == 415
    assert server.post("/answer", sent, ann)[0] == 200
    # Nobody sees what the other one said before judging it.
    assert "Ann" not in server.get("/discussion", ben)[1]
    assert server.post("/agree", sent, ben)[0] == 403
    assert server.post("/agree", sent, ann)[0] == 400


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not JSON"),
        (b"[" * 50_000, "not JSON"),
        (b"[]", "not an answer of the page"),
        (b'{"subject": "x" }' + b" " * 200_000, "at most 100000 bytes"),
        ({"subject": "bugs nobody/nothing 1", "cells": {}}, "not in your queue"),
        ({"cells": {}}, "not in your queue"),
        ({"subject": "bugs \ud800 1"}, "not in your queue"),
    ],
)
def test_what_no_page_sends_is_one_sentence(server: Server, content: object, said: str) -> None:
    status, text = server.post("/answer", content, server.cookie("Ann"))
    assert status == 400 and said in text


def test_an_answer_has_to_be_one_of_the_codebook(server: Server) -> None:
    ben = server.cookie("Ben")
    subject = subject_of(server.get("/", ben)[1])
    for cells, said in (
        ({}, "answer the first question"),
        ({"is_performance": "perhaps"}, "none of the answers"),
        ({"is_performance": "yes", "category": "Magic"}, "none of the answers; did you mean '"),
        ({"is_performance": "yes", "category": "Mem"}, "answers, such as 'Memory inefficiency'"),
        ({"is_performance": "yes", "note": "n" * 5_001}, "at most 5000 characters"),
        ({"is_performance": 1}, "characters of text"),
    ):
        status, text = server.post("/answer", {"subject": subject, "cells": cells}, ben)
        assert status == 400 and said in text
    proposed = {"change": "propose", "name": "Own", "definition": "of ours"}
    assert server.post("/codebook/change", proposed, ben)[0] == 200
    own = {"is_performance": "yes", "category": "Own"}
    assert server.post("/answer", {"subject": subject, "cells": own}, ben)[0] == 200
    assert "Own" in server.get("/codebook.csv", ben)[1]
    halves = {"is_performance": "yes", "note": "\ud800 half"}
    assert server.post("/answer", {"subject": subject, "cells": halves}, ben)[0] == 200
    status, page = server.post("/undo", {}, ben)
    assert status == 200 and subject_of(page) == subject
    assert server.post("/undo", {}, ben) == (
        400,
        '{"mistake":"there is no answer to take back"}',
    )


def test_a_beginning_or_a_part_that_fits_one_answer_is_enough(data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        ann = server.cookie("Ann")
        for written in ("ineFFicient cach", "of parallelization"):
            subject = subject_of(server.get("/", ann)[1])
            cells = {"is_performance": "yes", "category": written}
            status, said = server.post("/answer", {"subject": subject, "cells": cells}, ann)
            assert status == 200, said
    found = [answer.cells["category"] for answer in Store(data_dir / "review").answers()]
    assert found[0] == "Inefficient caching" and "parallelization" in found[1]


def test_discussion_shows_the_text_and_fills_in_what_raters_answered_alike(data_dir: Path) -> None:
    with serving(data_dir, *DRAWN) as server:
        causes = {"Ann": "Inefficient caching", "Ben": "Unnecessary computation"}
        cookies = {rater: server.cookie(rater) for rater in causes}
        subject = subject_of(server.get("/", cookies["Ann"])[1])
        for rater, cause in causes.items():
            cells = {"is_performance": "yes", "category": cause, "impact": "memory"}
            sent = {"subject": subject, "cells": cells}
            assert server.post("/answer", sent, cookies[rater])[0] == 200
        page = server.get("/discussion", cookies["Ann"])[1]
    assert discussed(page, "is_performance") == ["yes"]
    assert (discussed(page, "category"), discussed(page, "impact")) == ([""], ["memory"])
    assert 'aria-label="Text of the report"' in page and "<p>" in page
    assert "a rater gave one answer throughout" in page  # kappa of one subject


@pytest.mark.parametrize("kind", ["questions", "findings"])
@pytest.mark.parametrize("is_collected", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_questions_and_findings_are_judged_in_the_same_page(
    sampled: Prepared, tmp_path: Path, kind: str, *, is_collected: bool
) -> None:
    home = shutil.copytree(sampled.data_dir, tmp_path / "home")
    with serving(home, "--kind", kind, "--sample", "2", "--rater", "Ann") as server:
        ann = server.cookie("Ann")
        subject = subject_of(server.get("/", ann)[1])
        assert subject.startswith(kind)
        first = "verdict" if kind == "findings" else "is_performance"
        answer = {first: "right" if kind == "findings" else "no"}
        assert server.post("/answer", {"subject": subject, "cells": answer}, ann)[0] == 200
        if is_collected:  # for seconds: what follows from verdicts is computed anew
            assert "1 verdicts added" in server.post("/collect", {}, ann)[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rater", "Ann", "--sample", "0"), "draw more with --sample"),
        (("--rater", "=x", "--sample", "1"), "is not a rater's name"),
        (("--rater", "agreed", "--sample", "1"), "choose another name"),
        (("--kind", "questions", "--differing", "1", "--rater", "A"), "is for bug reports"),
    ],
)
def test_bad_options_are_one_sentence(data_dir: Path, options: tuple[str, ...], said: str) -> None:
    ran = perf_assets("review", "serve", "--data-dir", data_dir, *options)
    assert ran.returncode != 0 and said in ran.stderr and "Traceback" not in ran.stderr


def test_answers_go_nowhere_without_a_database(tmp_path: Path) -> None:
    for words in (("serve", "--rater", "Ann", "--sample", "1"), ("collect",)):
        ran = perf_assets("review", *words, "--data-dir", tmp_path)
        assert ran.returncode != 0 and "is not there" in ran.stderr


def test_a_database_of_an_older_version_is_named_with_its_remedy(data_dir: Path) -> None:
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb")) as connection:
        connection.execute("drop table labels.performance_probabilities")
    ran = perf_assets("review", "serve", "--data-dir", data_dir, "--differing", "3")
    assert ran.returncode != 0 and "perf-assets run publishes it anew" in ran.stderr
    with serving(data_dir, "--sample", "2", "--rater", "Ann") as server:
        status, text = server.get("/", server.cookie("Ann"))
    assert status == 404 and "perf-assets run publishes it anew" in text


def test_raters_whose_names_look_alike_have_a_sheet_each(
    imports: list[list[str]], tmp_path: Path
) -> None:
    texts = {(rater, "bugs"): f"of {rater}" for rater in ("Ann B", "Ann_B", "Ann.B")}
    collected = collecting.collect(tmp_path, tmp_path / "home", texts)
    assert len(collected.sentences) == 3 and collected.is_complete
    (command,) = imports
    sheets = [Path(one).read_text(encoding="utf-8-sig") for one in command if one.endswith(".csv")]
    raters = [after for one, after in itertools.pairwise(command) if one == "--rater"]
    assert sheets == [f"of {rater}" for rater in raters] == list(texts.values())


def killed_while_judging(data_dir: Path, after: float, last: dict[str, int]) -> None:
    """Kill a server while a rater judges again and again: what it acknowledged is there.

    It is killed so many seconds after its first acknowledgement. ``last`` has the number of the
    last answer to each subject that was acknowledged, or found after a kill, over all kills.
    """
    numbers = itertools.count(max(last.values(), default=0) + 1)
    with serving(data_dir) as server:
        cookie = server.cookie("Ann")
        queue = [
            f"{one.kind} {one.container} {one.number}"
            for one in Store(data_dir / "review").queue("Ann")
        ]

        is_acknowledged = threading.Event()

        def judge_on() -> None:
            try:
                for subject in itertools.cycle(queue):
                    number = next(numbers)
                    cells = {"is_performance": "yes", "note": str(number)}
                    status, _ = server.post("/answer", {"subject": subject, "cells": cells}, cookie)
                    assert status == 200
                    last[subject] = number
                    is_acknowledged.set()
            except (URLError, OSError, HTTPException):
                pass  # the server is gone

        rater = threading.Thread(target=judge_on)
        rater.start()
        assert is_acknowledged.wait(60)
        time.sleep(after)
        server.kill()
        rater.join()
    stored = {
        f"{one.key.kind} {one.key.container} {one.key.number}": int(one.cells["note"])
        for one in Store(data_dir / "review").answers("Ann")
    }
    # One answer may be kept whose acknowledgement did not arrive.
    assert all(stored[subject] >= number for subject, number in last.items())
    assert sum(stored[subject] > number for subject, number in last.items()) <= 1
    last.update(stored)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_a_killed_server_loses_no_answer_that_it_acknowledged(data_dir: Path) -> None:
    chance = random.Random(7)
    with serving(data_dir, "--sample", "500", "--unlabelled", "500", "--rater", "Ann"):
        pass
    last: dict[str, int] = {}
    for _ in range(30):
        before = sum(last.values())
        killed_while_judging(data_dir, chance.uniform(0.1, 0.6), last)
        assert sum(last.values()) > before
