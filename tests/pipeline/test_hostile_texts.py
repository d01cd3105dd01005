"""Issues, labels, logins, files and messages of people who mean harm, through a whole run.

They stand in the tables as they were written. Nowhere are they rendered, run, or taken for a path
or an option, and no token is in anything that is left behind.
"""

import csv
import gzip
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from markdown_it import MarkdownIt

from perf_assets.base.corpus import read_corpus
from tests.git_repositories import FILE, Made, git, make
from tests.support import Ran, perf_assets, perf_assets_process
from tests.unreliable_github import UnreliableGitHub

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

CANARY = "ghp_canaryHOSTILE"
HARM = (
    "'); DROP TABLE raw.issues; -- ../../../harm --upload-pack=harm <script>harm()</script> "
    "=cmd|' /C harm'!A0 ![harm](http://harm.invalid/x.png) [harm](javascript:harm) [/harm] "
    "[bold red]harm[/] \x1b[2J\x1b]0;harm\x07 \x00 \u202eharm \ud800 | `harm` harm"
)
STORED = HARM.replace("\ud800", "\ufffd")
PATH = b"<script>harm()\x1b[2J[/harm]=cmd' --upload-pack=harm.py"
# As it would look if something on the way to a reader gave it a meaning.
CODES = ("\x1b]0", "\x1b[2J", "\x00", "\u202e", "\x07")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))


@pytest.fixture(scope="module")
def ran(small: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path, Ran]]:
    folder = tmp_path_factory.mktemp("hostile")
    corpus = shutil.copytree(small.corpus, folder / "corpus")
    spoil(corpus)
    with UnreliableGitHub([read_corpus(corpus)], token=CANARY) as server:
        study = folder / "study.toml"
        study.write_text(
            'name = "[/harm]"\nnon_bug_labels = ["[/harm]<script>"]\n[[repositories]]\n'
            'name = "sample-lab/tensorkit"\nstart = "2020-01"\nend = "2020-03"\n'
            f'git = "{corpus / "repository.git"}"\ngithub_url = "{server.url}"\n'
        )
        data_dir = folder / "home"
        done = perf_assets_process(
            "run", "--study", study, "--data-dir", data_dir, GITHUB_TOKEN=CANARY
        )
        yield study, data_dir, Ran(done.returncode, done.stdout, done.stderr)


def judged(sheet: Path, answer: str) -> None:
    """Fill in the same answer everywhere, with a note."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0], quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows({**row, "is_performance": answer, "note": "[/harm]"} for row in rows)


def spoil(corpus: Path) -> None:
    """Put harm wherever people write."""
    issues = lines(corpus / "issues.jsonl.gz")
    for issue in issues:
        issue["title"] += f" {HARM}"
        issue["body"] = f"{issue['body']} {HARM}"
        issue["labels"] = [*issue["labels"], {"name": HARM}]
        issue["user"] = {"login": HARM}
    write(corpus / "issues.jsonl.gz", issues)
    comments = lines(corpus / "comments.jsonl.gz")
    for comment in comments:
        comment |= {"body": HARM, "user": {"login": HARM}}
    write(corpus / "comments.jsonl.gz", comments)
    closed = next(issue for issue in issues if issue["state"] == "closed")
    repository = corpus / "repository.git"
    message = f"Fix #{closed['number']} {HARM}".encode("utf-8", "replace").replace(b"\x00", b"")
    (sha,) = make(
        repository,
        [Made({PATH: (FILE, b"harm\n")}, message=message, when="1583000000 +0000", branch="side")],
    )
    git(repository, "update-ref", "refs/heads/--upload-pack=harm", sha)


def test_a_run_over_them_is_well_and_keeps_them_as_they_were_written(
    ran: tuple[Path, Path, Ran],
) -> None:
    _, data_dir, done = ran
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        titles = connection.sql("SELECT title FROM raw.issues").fetchall()
        assert titles and all(title.endswith(f" {STORED}") for (title,) in titles)
        authors = connection.sql("SELECT DISTINCT author FROM raw.issue_comments").fetchall()
        assert authors == [(STORED,)]
    assert not list(data_dir.parent.rglob("harm")) and not Path("harm").exists()


def test_no_reader_sees_them_rendered(ran: tuple[Path, Path, Ran]) -> None:
    study, data_dir, done = ran
    sheet = data_dir.parent / "sheet.csv"
    sample = ("review", "sample", "--n", "2", "--unlabelled", "2", "--seed", "1")
    runs = [done, perf_assets(*sample, "--output", sheet, "--data-dir", data_dir)]
    for rater, answer in (("Ann", "yes"), ("Ben", "no")):
        judged(sheet, answer)
        runs.append(
            perf_assets("review", "import", sheet, "--rater", rater, "--data-dir", data_dir)
        )
    with duckdb.connect(str(data_dir / "warehouse.duckdb")) as connection:
        connection.execute(
            "UPDATE meta.partition_loads SET status = 'failed', message = ? WHERE month = ?",
            [STORED, "2020-01"],
        )
    for arguments in (("status",), ("doctor", "--study", study), ("review", "agreement")):
        runs.append(perf_assets(*arguments, "--data-dir", data_dir, GITHUB_TOKEN=CANARY))
    assert not [one for one in runs if one.returncode]
    shown = "".join(one.stdout + one.stderr for one in runs)
    assert "Traceback" not in shown
    assert "[/harm]" in shown and "Failed audits" in shown
    files = [*data_dir.glob("*.md"), sheet]
    for text in (shown, *(path.read_text(encoding="utf-8-sig") for path in files)):
        assert not [code for code in CODES if code in text]
    report = MarkdownIt().render((data_dir / "report.md").read_text())
    assert "<script" not in report and "<img" not in report
    links = re.findall(r'href="([^"]*)', report)
    assert links and all(link.startswith("https://github.com/sample-lab/") for link in links)
    page = (data_dir / "report" / "index.html").read_text()
    assert "<script>harm" not in page
    assert not re.findall(r'href="(?!#|https://github.com/sample-lab/tensorkit/)[^"]*', page)
    assert not [code for code in CODES if code in re.sub(r"<script>.*?</script>", "", page)]
    rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    cells = [cell for row in rows for cell in row.split('","')]
    assert not [cell for cell in cells if cell.lstrip('"').startswith(("=", "@", "+"))]


def test_nothing_that_is_left_behind_has_the_token(ran: tuple[Path, Path, Ran]) -> None:
    _, data_dir, done = ran
    assert CANARY not in done.stdout + done.stderr
    kept = [path for path in data_dir.rglob("*") if path.is_file()]
    assert len(kept) > 10
    assert not [path for path in kept if CANARY.encode() in path.read_bytes()]
