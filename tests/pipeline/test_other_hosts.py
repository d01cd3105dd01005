"""One world on three hosts: what they tell alike gives the same tables, and the rest is named here.

The commits speak GitHub's words (`Fixes #12`, addresses on github.com), or those of GitLab where
the history is rewritten for it. Bugzilla has no word for pull requests, and its commits are left as
they are: so nothing is linked there.
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.stand_ins.generator import generate
from tests.issue_hosts import HOSTS
from tests.support import perf_assets

pytestmark = pytest.mark.slow

KEPT = "surrogateescape"
COMMITTED = re.compile(rb"^committer .*\n(?:encoding .*\n)?data (\d+)\n", re.MULTILINE)
NAME = "sample-lab/tensorkit"
END = "2021-03"
ALIKE = (
    "labels.performance_labels",
    "labels.label_evidence",
    "labels.environments",
    "labels.report_forms",
    "labels.area_evidence",
    "intermediate.issue_months",
    "intermediate.label_changes",
    "intermediate.state_changes",
    "marts.activity",
    "marts.bug_environments",
    "marts.duplicate_groups",
    "marts.performance_probability_monthly",
    "marts.finding_states",
)
"""Tables that tell of the reports themselves: equal on all hosts."""
OF_THE_HOST = {
    "intermediate.label_changes": "event_id",
    "intermediate.state_changes": "event_id",
    "labels.report_forms": "template_sha",  # of a commit, whose message is another one
}
TREND = ("opened_performance", "opened_total", "open_performance", "open_total")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published database of one study with all three hosts in one data directory."""
    folder = tmp_path_factory.mktemp("hosts")
    generate(folder / "corpus", seed=2, issues=300, months=15, commits=200)
    corpus = read_corpus(folder / "corpus")
    rewritten = in_words_of_gitlab(folder / "corpus" / "repository.git", folder / "git", corpus)
    sources = {
        "github": (corpus, folder / "corpus" / "repository.git"),
        "gitlab": (rewritten, folder / "git"),
        "bugzilla": (corpus, folder / "corpus" / "repository.git"),
    }
    lines = ['name = "hosts"']
    with ExitStack() as stack:
        for source, (served, git) in sources.items():
            host = HOSTS[source]
            server = stack.enter_context(host.server([served]))
            address = "github_url" if source == "github" else "api_url"
            lines += [
                *("[[repositories]]", f'name = "{host.name_of(served)}"', 'start = "2020-01"'),
                *(f'end = "{END}"', f'git = "{git}"', f'{address} = "{server.url}"'),
            ]
        study = folder / "study.toml"
        study.write_text("\n".join(lines))
        ran = perf_assets("run", "--study", study, "--data-dir", folder / "home")
        assert ran.returncode == 0, ran.stderr
        again = perf_assets("run", "--study", study, "--data-dir", folder / "home")
        assert again.returncode == 0, again.stderr
    path = folder / "home" / "perf_bugs.duckdb"
    with duckdb.connect(str(path), read_only=True) as connection:
        yield connection


def in_words_of_gitlab(git: Path, rewritten: Path, corpus: Corpus) -> Corpus:
    """Write a history as it would be on GitLab; return the corpus with its new hashes."""
    marks = [rewritten.with_suffix(suffix) for suffix in (".old", ".new")]
    exported = run(git, "fast-export", "--all", f"--export-marks={marks[0]}")
    subprocess.run(["git", "init", "--quiet", "--bare", rewritten], check=True)
    head = run(git, "symbolic-ref", "HEAD").decode().strip()
    run(rewritten, "symbolic-ref", "HEAD", head)
    imported = with_messages(exported, lambda message: message_of(message, corpus))
    run(rewritten, "fast-import", "--quiet", f"--export-marks={marks[1]}", given=imported)
    old, new = (dict(line.split() for line in path.read_text().splitlines()) for path in marks)
    now = {sha: new[mark] for mark, sha in old.items() if mark in new}

    def told(value: Any) -> Any:
        """A record of the corpus, with the new hashes, in the words of GitLab."""
        if isinstance(value, dict):
            return {key: told(part) for key, part in value.items()}
        if isinstance(value, list):
            return [told(part) for part in value]
        return now.get(value, value) if isinstance(value, str) else value

    def said(comment: Any) -> Any:
        return comment | {"body": spoken(comment["body"] or "", corpus) or None}

    return replace(
        corpus,
        events=told(dict(corpus.events)),
        pulls=told(dict(corpus.pulls)),
        comments={number: [*map(said, rows)] for number, rows in corpus.comments.items()},
    )


def run(git: Path, *arguments: str, given: bytes | None = None) -> bytes:
    command = ["git", "--git-dir", str(git), *arguments]
    return subprocess.run(command, input=given, check=True, capture_output=True).stdout


def with_messages(stream: bytes, change: Callable[[str], str]) -> bytes:
    """Return a stream of fast-export with other messages of commits."""
    parts, place = [], 0
    for found in re.finditer(
        rb"^committer .*\n(?:encoding .*\n)?data (\d+)\n", stream, re.MULTILINE
    ):
        start, end = found.end(), found.end() + int(found[1])
        message = change(stream[start:end].decode(errors=KEPT)).encode(errors=KEPT)
        parts += [stream[place : found.start(1)], b"%d\n" % len(message), message]
        place = end
    return b"".join([*parts, stream[place:]])


def message_of(message: str, corpus: Corpus) -> str:
    """Return the message of a commit as GitLab and its users would have written it."""
    merged = re.match(r"Merge pull request #(\d+) from (\S+)", message)
    if merged:
        rest = spoken(message[merged.end() :].rstrip(), corpus)
        subject = f"Merge branch '{merged[2]}' into 'main'"
        return f"{subject}{rest}\n\nSee merge request {NAME}!{merged[1]}\n"
    return spoken(message, corpus)


def spoken(text: str, corpus: Corpus) -> str:
    """Return a text with GitLab's addresses, and its signs of issues and merge requests."""
    there = f"https://gitlab.example.org/{NAME}/-"
    page = rf"https?://(?:www\.)?github\.com/{NAME}"
    text = re.sub(rf"(?i){page}/issues/(\d+)", rf"{there}/issues/\1", text)
    text = re.sub(rf"(?i){page}/pull/(\d+)", rf"{there}/merge_requests/\1", text)
    text = re.sub(r"\bGH-(\d+)", r"#\1", text)

    def sign(found: re.Match[str]) -> str:
        return f"!{found[1]}" if int(found[1]) in corpus.pulls else found[0]

    return re.sub(r"(?<![\w&/])#(\d+)", sign, text)


def rows(database: duckdb.DuckDBPyConnection, table: str, source: str, *left_out: str) -> list[Any]:
    """Return the rows of a host, without what names it and the columns that are left out."""
    given = database.execute(f"DESCRIBE {table}").fetchall()
    columns = [row[0] for row in given if row[0] not in ("repository", "loaded_at", *left_out)]
    name = HOSTS[source].prefix + NAME
    shown = ", ".join(f'"{column}"' for column in columns)
    found = database.execute(f"SELECT {shown} FROM {table} WHERE repository = ?", [name])
    return sorted(found.fetchall(), key=repr)


@pytest.mark.parametrize("source", ["gitlab", "bugzilla"])
@pytest.mark.parametrize("table", ALIKE)
def test_what_the_hosts_tell_alike_is_equal(
    database: duckdb.DuckDBPyConnection, table: str, source: str
) -> None:
    left_out = OF_THE_HOST.get(table, "")
    assert rows(database, table, source, left_out) == rows(database, table, "github", left_out)
    assert rows(database, table, "github") != []


@pytest.mark.parametrize("source", ["gitlab", "bugzilla"])
def test_the_series_of_reports_are_equal(database: duckdb.DuckDBPyConnection, source: str) -> None:
    query = (
        f"SELECT month, {', '.join(TREND)} FROM marts.trend_monthly WHERE repository = ? ORDER BY 1"
    )
    series = [
        database.execute(query, [HOSTS[name].prefix + NAME]).fetchall()
        for name in ("github", source)
    ]
    assert series[0] == series[1] != []


def test_fixes_are_linked_alike_on_gitlab(database: duckdb.DuckDBPyConnection) -> None:
    """But GitLab does not say of which project a commit is that closed an issue."""

    def links(source: str, approaches: str) -> set[Any]:
        name = HOSTS[source].prefix + NAME
        query = f"""
            SELECT number, approach, count(*), bool_or(is_counted) FROM links.fix_links
            WHERE repository = ? AND approach {approaches} 'closed_by_commit' GROUP BY ALL
        """
        return set(database.execute(query, [name]).fetchall())

    assert links("gitlab", "<>") == links("github", "<>") != set()
    assert links("gitlab", "=") > links("github", "=")
    name = HOSTS["gitlab"].prefix + NAME
    query = "SELECT evidence FROM links.fix_links WHERE repository = ?"
    evidence = [text for (text,) in database.execute(query, [name]).fetchall()]
    assert any("merge request !" in text for text in evidence)
    assert not any("on GitHub" in text or "pull request #" in text for text in evidence)


def test_every_address_leads_to_the_host(database: duckdb.DuckDBPyConnection) -> None:
    found = dict(
        database.execute(
            "SELECT repository, any_value(html_url) FROM raw.issues GROUP BY 1"
        ).fetchall()
    )
    assert found[NAME].startswith("https://github.com/")
    commits = dict(database.execute("SELECT source, commit_url FROM meta.repositories").fetchall())
    assert commits == {
        "github": f"https://github.com/{NAME}/commit/",
        "gitlab": f"https://gitlab.example.org/{NAME}/-/commit/",
        "bugzilla": None,
    }
