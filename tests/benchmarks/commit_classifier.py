"""Train the packaged classifier of commits, and measure labels on repositories it had not seen.

    python -m tests.benchmarks.commit_classifier CLONES [--write]

CLONES is a folder of clones, bare or not, called owner+name or owner/name. What their authors say
is the truth: of some the tag before the title (`perf:`, `feat:`), of others the part of the change
log that lists the pull request. Tags are taken away before anything is read. A change that a log
lists elsewhere, though its title claims speed, is left out: logs list a change once.
`commit_verdicts.csv` are changes of 14 repositories that were drawn by strata (words of
performance in the title, in the text, none) and judged by a large language model that saw title
and beginning of the message. The rest is left out of training, for `accuracy`.
"""

import argparse
import csv
import io
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from perf_assets.base.files import write_file
from perf_assets.config.classifier import COMMIT_MODEL, as_bytes, word_vectors
from perf_assets.core.labelling.classifier.model import Model
from perf_assets.core.labelling.classifier.training import train
from perf_assets.core.labelling.commits.changes import changes_of
from perf_assets.core.labelling.commits.labels import (
    FIX,
    NONE,
    OPTIMISATION,
    label_changes,
    own_title,
)
from perf_assets.core.labelling.commits.words import COMMIT_WORDS
from perf_assets.core.labelling.vocabulary import pattern_of
from perf_assets.core.linking.pull_requests import History

VERDICTS = Path(__file__).with_name("commit_verdicts.csv")
RESULT = Path(__file__).with_name("commit_accuracy.csv")
TAGGED = ("pola-rs/polars", "vuejs/core", "oxc-project/oxc", "eslint/eslint")
LOGGED = {
    "prometheus/prometheus": r"CHANGELOG\.md",
    "astral-sh/ruff": r"(?:changelogs/.*|CHANGELOG)\.md",
    "pydata/xarray": r"doc/whats-new\.rst",
    "numpy/numpy": r"doc/source/release/.*notes\.rst",
}
SILENT = ("apache/tvm", "chainer/chainer", "dmlc/xgboost", "keras-team/keras")
"""Deep learning, whose optimizers are not about speed: of these the changes without a word of
performance in the whole message, as what is about something else."""

MOST, MOST_SILENT = 2_000, 500
"""Changes of a repository that no one judged: those with the lowest hashes."""

SHARE = 0.5
"""Of those that are not about performance, so that not all that is learned is from them."""

SCHEMA = {
    **dict.fromkeys(("repository", "sha", "title", "body", "kind"), pl.String),
    "is_performance": pl.Boolean,
}

_TAG = re.compile(
    r"(feat|fix|perf|refactor|docs?|chore|build|ci|test|style|types|release|breaking|new|update"
    r"|upgrade)(?:\([^)]*\))?!?:\s*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:#|pull/|:pull:`|gh-)(\d+)")
_BULLET = re.compile(r"\s*[-*] \[(\w+)\]")
_RST_LINE = re.compile(r"[-=~^*]{4,}\s*")
_FORMAT = "--format=%H%x01%P%x01%ct%x01%B%x00"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clones", type=Path, help="folder of clones")
    parser.add_argument("--write", action="store_true", help="write the model and its figures")
    arguments = parser.parse_args()
    stated, judged = stated_changes(arguments.clones), judged_changes(arguments.clones)
    print(
        f"{stated.height} changes whose authors tell, {judged.height} that were judged", flush=True
    )
    model = trained(stated, judged)
    figures: list[dict[str, object]] = []
    for name, read in PUBLIC.items():
        if (seen := read(arguments.clones)) is not None:
            figures.append(measured(name, seen, model))
    print(json.dumps(model.description, indent=2), flush=True)
    if arguments.write:
        write_file(COMMIT_MODEL, as_bytes(model))
    held = judged["repository"].unique().sort().to_list()[::2]
    seen = judged.filter(pl.col("repository").is_in(held))
    if seen.height:
        others = trained(stated, judged.join(seen, on="sha", how="anti"))
        figures.append(measured(f"judged: {', '.join(held)}", seen, others))
    if arguments.write:
        write_file(RESULT, pl.DataFrame(figures).write_csv().encode())


def trained(*parts: pl.DataFrame) -> Model:
    """Return a model of changes that their authors, or a reader, told about."""
    changes = pl.concat(part for part in parts if part.height)
    plain = pl.Series([own_title(title).plain for title in changes["title"]], dtype=pl.String)
    read = changes.select("repository", "body", "is_performance", "kind", title=plain)
    command = "python -m tests.benchmarks.commit_classifier CLONES"
    return train(read, word_vectors(), command, COMMIT_WORDS)


def measured(name: str, seen: pl.DataFrame, model: Model) -> dict[str, object]:
    """Print and return precision and recall of the labels on changes that no model was trained on.

    Messages alone are read, as the files are not known of all.
    """
    labels = label_changes(seen, None, model)
    found = labels["work"].is_in([OPTIMISATION, FIX]).to_numpy()
    truth = seen["is_performance"].to_numpy()
    right = int((found & truth).sum())
    row = {
        "set": name,
        "changes": seen.height,
        "performance": int(truth.sum()),
        # Of a set that has nothing else, precision says nothing.
        "precision": None if truth.all() else round(right / max(int(found.sum()), 1), 3),
        "recall": round(right / max(int(truth.sum()), 1), 3),
    }
    print(row, flush=True)
    return row


def judged_messages(clones: Path) -> pl.DataFrame | None:
    """Return the messages that evidencebp/commit-classification judged."""
    repository, path = "evidencebp/commit-classification", "data/commit_performance_samples.csv"
    if _clone(clones, repository) is None:
        return None
    rows = csv.DictReader(io.StringIO(_git(clones, repository, "show", f"HEAD:{path}")))
    found = [
        (*row["message"].strip().partition("\n")[::2], row["Is_performance"] == "TRUE")
        for row in rows
        if row["Is_performance"]
    ]
    schema = {"title": pl.String, "body": pl.String, "is_performance": pl.Boolean}
    return pl.DataFrame(found, schema=schema, orient="row").with_columns(sha=pl.lit(""))


def measured_optimisations(clones: Path) -> pl.DataFrame | None:
    """Return the changes of swefficiency/swefficiency, whose speed-up was measured."""
    repository, path = "swefficiency/swefficiency", "analysis/llm/outputs/diff_explanation.jsonl"
    if _clone(clones, repository) is None:
        return None
    lines = _git(clones, repository, "show", f"HEAD:{path}").splitlines()
    named = {json.loads(line)["instance_id"].rpartition("-")[::2] for line in lines}
    parts = []
    for name in sorted({name for name, _ in named}):
        owner = name.replace("__", "/")
        if _clone(clones, owner) is not None:
            numbers = [int(number) for known, number in named if known == name]
            changes = changes_in(clones, owner)
            parts.append(changes.filter(pl.col("pull_request").is_in(numbers)))
    return pl.concat(parts).with_columns(is_performance=pl.lit(value=True)) if parts else None


PUBLIC: Mapping[str, Callable[[Path], pl.DataFrame | None]] = {
    "messages of evidencebp": judged_messages,
    "optimisations of SWE-fficiency": measured_optimisations,
}


def judged_changes(clones: Path) -> pl.DataFrame:
    """Return the changes of :data:`VERDICTS` whose repository is in ``clones``."""
    verdicts = pl.read_csv(VERDICTS).filter(pl.col("kind") != "unsure")
    parts = [
        changes_in(clones, str(repository)).join(part, on=["repository", "sha"])
        for (repository,), part in verdicts.group_by("repository", maintain_order=True)
        if _clone(clones, str(repository)) is not None
    ]
    if not parts:
        return pl.DataFrame(schema=SCHEMA)
    is_performance = pl.col("kind").is_in(["speed", "memory"])
    return pl.concat(parts).with_columns(is_performance=is_performance).select(*SCHEMA)


def stated_changes(clones: Path) -> pl.DataFrame:
    """Return the changes of which their authors say whether they are about performance."""
    parts = []
    for repository in (*TAGGED, *LOGGED):
        if _clone(clones, repository) is None:
            continue
        changes = changes_in(clones, repository)
        if repository in TAGGED:
            tags = [_TAG.match(title) for title in changes["title"]]
            says = [tag and tag[1].casefold() == "perf" for tag in tags]
        else:
            listed = _listed(clones, repository)
            says = [listed.get(number) for number in changes["pull_request"]]
        stated = changes.with_columns(is_performance=pl.Series(says, dtype=pl.Boolean))
        drawn = pl.col("is_performance") | (
            pl.col("sha").str.slice(-1) < format(int(16 * SHARE), "x")
        )
        parts.append(stated.drop_nulls("is_performance").filter(drawn).sort("sha").head(MOST))
    parts += [_silent(clones, name) for name in SILENT if _clone(clones, name) is not None]
    found = pl.concat(parts)
    held = measured_optimisations(clones)
    if held is not None:
        found = found.join(held, on="sha", how="anti")
    label = label_changes(found, None, None)["work"]
    doubtful = ~found["is_performance"] & (label != NONE)
    memory = re.compile(COMMIT_WORDS["said memory"].pattern)
    kinds = [
        ("memory" if memory.search(title.casefold()) else "speed") if yes else "none"
        for title, yes in found.select("title", "is_performance").iter_rows()
    ]
    return found.with_columns(kind=pl.Series(kinds)).filter(~doubtful).select(*SCHEMA)


def _silent(clones: Path, repository: str) -> pl.DataFrame:
    said = re.compile(pattern_of(COMMIT_WORDS.values()))
    changes = changes_in(clones, repository).sort("sha")
    is_silent = [
        not said.search(f"{title}\n{body}".casefold())
        for title, body in changes.select("title", "body").iter_rows()
    ]
    silent = changes.filter(pl.Series(is_silent)).head(MOST_SILENT)
    return silent.with_columns(is_performance=pl.lit(value=False))


def changes_in(clones: Path, repository: str) -> pl.DataFrame:
    """Return the changes of a clone, as :func:`changes_of` does, with their repository."""
    records = _git(clones, repository, "log", _FORMAT).split("\0")
    fields = [record.lstrip("\n").split("\x01", 3) for record in records if record.strip()]
    commits = pl.DataFrame(
        {
            "repository": [repository] * len(fields),
            "sha": [sha for sha, *_ in fields],
            "parents": [parents.split() for _, parents, *_ in fields],
            "committed_at": [datetime.fromtimestamp(int(when), UTC) for _, _, when, _ in fields],
            "message": [message for *_, message in fields],
        },
        schema_overrides={"parents": pl.List(pl.String)},
    ).with_columns(branch=pl.lit(None, pl.String))
    changes = changes_of(commits, History(commits, (), (), commits["sha"][0]))
    whole = changes.filter(pl.col("landed_by").is_null())
    return whole.with_columns(repository=pl.lit(repository))


def _listed(clones: Path, repository: str) -> dict[int, bool]:
    """Return for each pull request of the change logs whether its part is about performance."""
    paths = _git(clones, repository, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
    parts: dict[int, set[bool]] = {}
    for path in filter(re.compile(LOGGED[repository]).fullmatch, paths):
        heading, before = "", ""
        for line in _git(clones, repository, "show", f"HEAD:{path}").split("\n"):
            if line.startswith("##"):
                heading = line
            elif _RST_LINE.fullmatch(line):
                heading = before
            elif bullet := _BULLET.match(line):
                heading = bullet[1]
            for number in _NUMBER.findall(line):
                parts.setdefault(int(number), set()).add("perf" in heading.casefold())
            before = line
    return {number: says.pop() for number, says in parts.items() if len(says) == 1}


def _clone(clones: Path, repository: str) -> Path | None:
    names = (repository.replace("/", "+"), repository)
    places = [clones / name / inner for name in names for inner in ("repo", ".git", "")]
    return next((place for place in places if (place / "objects").is_dir()), None)


def _git(clones: Path, repository: str, *arguments: str) -> str:
    command = ["git", "--git-dir", str(_clone(clones, repository)), *arguments]
    ran = subprocess.run(command, capture_output=True, check=True)
    return ran.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
