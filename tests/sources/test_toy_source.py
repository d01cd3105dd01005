"""docs/guides/writing_a_source.md, followed: a new source is the files that it names, no others."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply, message_reply
from tests.paths import ROOT

pytestmark = pytest.mark.slow

GUIDE = ROOT / "docs" / "guides" / "writing_a_source.md"
FOLDER = ROOT / "tests" / "toy_source"
BESIDE = ("dbt_like_models", "expectations", "sql")
LOAD = """
import sys
from pathlib import Path
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.stages.mining.issues import mine_issues
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse

[repository] = load_study(sys.argv[1]).repositories
home = DataDirectory(Path(sys.argv[2]))
with open_warehouse(home.warehouse) as database:
    for outcome in mine_issues(AuditedWriter(database, home), repository, ["2020-01", "2020-02"]):
        assert outcome.failure is None, outcome.failure
    query = "SELECT repository, number, title, state, comments, author FROM raw.issues ORDER BY 2"
    print(database.frame(query).rows())
    print(database.frame("SELECT number, comment_id, body FROM raw.issue_comments").rows())
    print(database.frame("SELECT month, entity, entries FROM raw.issue_gaps").rows())
"""


class ToyTracker(LoopbackServer):
    """The toy tracker: three issues, of which one is not as documented."""

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        parts = urlsplit(target)
        given = {key: value[0] for key, value in parse_qs(parts.query).items()}
        path = parts.path.removeprefix("/api/")
        if path not in {"issues", "count"}:
            return message_reply(404, "Not Found")
        first, last = given.get("opened_from", "0"), given.get("opened_before", "9")
        found = [one for one in ISSUES if first <= str(one["opened"]) < last]
        found = [one for one in found if str(one["updated"]) >= given.get("updated_since", "0")]
        found.sort(key=lambda one: str(one["updated"]), reverse="newest" in given)
        return json_reply(200, len(found) if path == "count" else found)


def issue(
    number: int, opened: str, closed: str | None = None, **others: object
) -> dict[str, object]:
    comment = {"id": 10 + number, "who": "bo", "at": opened, "text": "Me too"}
    return {
        **{"id": number, "title": f"Slow {number}", "text": "It takes minutes.", "who": "al"},
        **{"opened": opened, "updated": closed or opened, "closed": closed},
        "comments": [comment],
        **others,
    }


ISSUES = [
    issue(1, "2020-01-02T03:04:05Z"),
    issue(2, "2020-01-05T00:00:00Z", "2020-02-01T00:00:00Z"),
    issue(3, "2020-02-07T00:00:00Z", title=None),
]


def test_a_source_is_the_files_that_the_guide_names(tmp_path: Path) -> None:
    package = tmp_path / "package"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "perf_assets", package / "perf_assets", ignore=ignored)
    for name in BESIDE:
        (package / name).symlink_to(ROOT / name)
    # The steps of the guide.
    shutil.copytree(FOLDER, package / "perf_assets" / "sources" / "toy", ignore=ignored)
    entry = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert entry is not None
    hosts = package / "perf_assets" / "config" / "hosts.py"
    lines = "".join(line.removeprefix("   ") for line in entry[1].splitlines(keepends=True))
    hosts.write_text(hosts.read_text().replace("KINDS = {\n", f"KINDS = {{\n{lines}"))
    with ToyTracker() as tracker:
        study = tmp_path / "study.toml"
        study.write_text(
            'name = "toys"\n[[repositories]]\nname = "toy.example.org/project"\n'
            f'start = "2020-01"\nend = "2020-02"\ngit = "{tmp_path}"\n'
            f'api_url = "{tracker.url}/api"\n'
        )
        ran = subprocess.run(
            [sys.executable, "-c", LOAD, str(study), str(tmp_path / "home")],
            cwd=package,
            env={"PYTHONPATH": str(package), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    issues, comments, gaps = (json.loads(_as_json(line)) for line in ran.stdout.splitlines())
    name = "toy.example.org/project"
    assert issues == [
        [name, 1, "Slow 1", "open", 1, "al"],
        [name, 2, "Slow 2", "closed", 1, "al"],
    ]
    assert comments == [[1, 11, "Me too"], [2, 12, "Me too"]]
    assert gaps == [["2020-02", "issues", 1]]


def _as_json(text: str) -> str:
    return text.replace("(", "[").replace(")", "]").replace("'", '"')
