"""Documents that people write or keep: studies, settings of checks, lists in JSON, corpora."""

import gzip
import json
import random
import shutil
import tomllib

import github

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.core.areas.code_owners import CodeOwners
from perf_assets.lint.files.settings import settings
from perf_assets.lint.globs import is_meant_or_within
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.host import UNLIMITED
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.github.transport import Answer
from perf_assets.sources.issues.batches import joined
from perf_assets.stages.study_loader import open_study, read_added
from perf_assets.stand_ins.github.server import CorpusServer
from tests.answer_fuzzing import HASTE
from tests.damaged_inputs.damage import damaged, json_of, spoilt, text_damaged, toml_of
from tests.damaged_inputs.kinds import Kind, Surroundings, TryOne, unchanged_where_refused
from tests.github_stand_in import batches_of

OWNERS = """# who reviews
* @ada
/src/nn/ @lab/networks ada@example.org # remarks
docs/* @lab/writers
a\\ b.md @bo
**/x?/*.py @lab/x
third_party/
"""
STUDY = """name = "mine"
performance_labels = ["performance", "perf: *"]
non_bug_labels = ["feature"]
keywords = ["slow", "fast", "hang"]
strong_keywords = ["slow"]
weak_keywords = ["hang"]
widened_keywords = ["lag"]
count_approaches = ["event"]
reconcile_months = 3
analyze_fixes = false
kind_method = "paper"

[lake]
url = "file:///lake"
engine = "spark"
spark = "sc://host:15002"

[[repositories]]
name = "owner/name"
start = "2020-01"
trend_start = "2020-04"
end = "2021-01"
git = "https://example.com/owner/name.git"
github_url = "https://github.example.com/api/v3"
checks = false
aliases = ["old/name"]

[repositories.areas]
labels = { "module: *" = "*", "module: crash" = "" }
files = { "/aten/src/**" = "aten", "*.py" = "" }
roots = ["torch", "torch/csrc"]
depth = 2
codeowners = true

[[repositories]]
name = "owner/other"
start = "2019-01"

[[forums]]
name = "stackoverflow"
tags = { tensorflow = ["tensorflow", "keras"], torch = ["pytorch"] }
start = "2020-01"
end = "2020-12"
dump = "dump/Posts.xml"
api_url = "https://api.stackexchange.com/2.3"
site = "stackoverflow"
repositories = { torch = "owner/name" }
labelled = "labelled.csv"
"""
SETTINGS = """[project]
name = "x"

[tool.perf-assets.lint]
select = ["loop-invariant-op", "PA1"]
extend-select = ["PA2"]
ignore = ["TOR401"]
severity = "warning"
error-on = "note"
exclude = ["build/**", "*_test.py"]
extend-exclude = ["third_party"]
force-exclude = true
respect-gitignore = false

[tool.perf-assets.lint.per-file-ignores]
"tests/**" = ["PA1"]
"""
ADDED = [
    {
        "study": "sample",
        "name": "owner/name",
        "start": "2020-01",
        "git": "https://example.com/owner/name.git",
        "github_url": None,
        "added_at": "2024-01-02T03:04:05+00:00",
    }
]


def _toml(valid: str, chance: random.Random) -> bytes:
    kind = chance.random()
    if kind < 0.5:
        return toml_of(spoilt(tomllib.loads(valid), chance))
    return (text_damaged if kind < 0.75 else damaged)(valid.encode(), chance)


def _studies(surroundings: Surroundings) -> TryOne:
    path = surroundings.room("study") / "study.toml"
    valid = [STUDY, surroundings.prepared.study.read_text()]

    def try_one(chance: random.Random) -> object:
        path.write_bytes(_toml(chance.choice(valid), chance))
        study = load_study(path)
        return repr(study).encode()

    return try_one


def _settings(surroundings: Surroundings) -> TryOne:
    path = surroundings.room("settings") / "pyproject.toml"

    def try_one(chance: random.Random) -> object:
        path.write_bytes(_toml(SETTINGS, chance))
        read = settings({}, path, None)
        patterns = (*read.exclusion.patterns, *read.ignored)
        return [is_meant_or_within("a/b.py", [pattern]) for pattern in patterns]

    return try_one


def _added(surroundings: Surroundings) -> TryOne:
    data_dir = DataDirectory.of(surroundings.room("added") / "home")
    data_dir.path.mkdir(exist_ok=True)
    study = surroundings.prepared.study
    name = load_study(study).name
    valid = [{**one, "study": name} for one in ADDED * 2]

    def try_one(chance: random.Random) -> object:
        if chance.random() < 0.6:
            content = json_of(spoilt(valid, chance), chance)
        else:
            content = damaged(json.dumps(valid).encode(), chance)
        data_dir.added.write_bytes(content)
        with unchanged_where_refused(data_dir.path):
            read_added(data_dir)
            return open_study(study, data_dir)

    return try_one


def _corpora(surroundings: Surroundings) -> TryOne:
    corpus = surroundings.room("corpora") / "corpus"
    names = ("issues", "comments", "events", "pulls")
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir()
    valid = {corpus / "repository.json": b'{"full_name": "owner/name"}\n'}
    for name in names:
        with gzip.open(surroundings.prepared.corpus / f"{name}.jsonl.gz") as file:
            valid[corpus / f"{name}.jsonl"] = file.read()
    for path, content in valid.items():
        path.write_bytes(content)

    def try_one(chance: random.Random) -> object:
        path = chance.choice(list(valid))
        try:
            path.write_bytes(_lines(valid[path], chance))
            return _served(read_corpus(corpus))
        finally:
            path.write_bytes(valid[path])

    return try_one


def _served(corpus: Corpus) -> object:
    """All issues of ``corpus``, as a client of the server reads them: what was taken is served."""
    server = CorpusServer([corpus], limit=UNLIMITED)

    def send(_: github.Github, verb: str, path: str, content: object) -> Answer:
        reply = server.answer(verb, path, "token x", json.dumps(content).encode())
        return Answer(reply.status, {}, reply.body.decode())

    client = GitHubClient("http://127.0.0.1", "x", lambda _: None, HASTE, send)
    try:
        source = GitHubIssues(client, corpus.repository)
        newest = source.newest().newest_update
        months = sorted({issue["created_at"][:7] for issue in corpus.issues.values()})
        batch = joined(batches_of(source, dict.fromkeys(months[-2:], 9)))
    finally:
        client.close()
    return newest, [frame.to_arrow() for frame in vars(batch).values()]


def _lines(valid: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        return damaged(valid, chance)
    lines = valid.splitlines(keepends=True)
    index = chance.randrange(len(lines))
    lines[index] = json_of(spoilt(json.loads(lines[index]), chance), chance) + b"\n"
    return b"".join(lines)


def _owners(surroundings: Surroundings) -> TryOne:
    """A file of code owners of somebody else's repository."""

    def try_one(chance: random.Random) -> object:
        damage = damaged if chance.random() < 0.5 else text_damaged
        owners = CodeOwners(damage(OWNERS.encode(), chance))
        return [owners.area(path) for path in ("src/nn/a.py", "a b.md", "docs/x/y.md", "")]

    return try_one


KINDS = (
    Kind("study_files", 150, _studies),
    Kind("code_owners", 40, _owners),
    Kind("settings_of_checks", 100, _settings),
    Kind("added_repositories", 80, _added),
    Kind("corpora", 100, _corpora),
)
