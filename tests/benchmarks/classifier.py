"""Train the packaged classifier, and measure it and the rules on projects they had not seen.

    python -m tests.benchmarks.classifier [--more CHECKOUT] [--write]

Texts are those of the judged reports in `shared/data/verdicts`; CHECKOUT is one of
yunwei37/vllm-exp, which has the other reports of vllm that `kind_verdicts.csv` judges.
"""

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.base.files import write_file
from perf_assets.config.classifier import PACKAGED, as_bytes, word_vectors
from perf_assets.core.labelling.classifier.training import train
from tests.paths import SHARED

VERDICTS = SHARED / "verdicts"
KINDS = Path(__file__).with_name("kind_verdicts.csv")
"""The kinds of reports of caffe and mxnet, and of the reports of vllm that were not drawn for
`vllm.jsonl.gz`, each judged by a large language model that saw its title and the beginning of its
body. Of caffe and mxnet, `quality` is what the authors of the data call performance and it did
not."""

REST = "the rest of vllm"
SCHEMA = {
    "source": pl.String,
    "repository": pl.String,
    "number": pl.Int64,
    "title": pl.String,
    "body": pl.String,
    "kind": pl.String,
    "is_performance": pl.Boolean,
    "is_bug": pl.Boolean,
    "authors_say": pl.Boolean,
    "weight": pl.Float64,
}


def judged_reports(more: Path | None = None) -> pl.DataFrame:
    """Return all judged reports, each once, with the columns of :data:`SCHEMA`.

    ``authors_say`` is the verdict of the authors of the data, whose performance is also that of
    results; ``weight`` how many reports of its project a report stands for.
    """
    with KINDS.open(encoding="utf-8") as file:
        kinds = {(row["repository"], int(row["number"])): row for row in csv.DictReader(file)}
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for path in sorted(VERDICTS.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for report in map(json.loads, lines):
                key = (report["repository"], report["number"])
                kind = report.get("kind") or kinds[key]["kind"]
                rows[key] = {"source": path.name.partition(".")[0], **report, "kind": kind}
    for report in _rest(more) if more else ():
        key = ("vllm-project/vllm", report["number"])
        if key in kinds and key not in rows:
            judged = {"kind": kinds[key]["kind"], "is_bug": kinds[key]["is_bug"] == "1"}
            rows[key] = {"source": REST, "repository": key[0], **report, **judged}
    found = [
        {
            **{name: row.get(name) for name in ("source", "repository", "number", "title", "body")},
            "kind": row["kind"],
            "is_performance": row["kind"] in ("speed", "memory", "hang"),
            "is_bug": row.get("is_bug", True),
            "authors_say": bool(row.get("is_performance", row["kind"] != "none")),
            "weight": row.get("weight", 1.0),
        }
        for _, row in sorted(rows.items())
    ]
    return pl.DataFrame(found, schema=SCHEMA, orient="row")


def _rest(clone: Path) -> Iterator[dict[str, Any]]:
    for path in (clone / "bug-study/analysis_llm/sample_results/vllm").rglob("issues.json"):
        yield from json.loads(path.read_text(encoding="utf-8"))


def read_arguments(purpose: str, written: str) -> argparse.Namespace:
    """Return the arguments of the command line: more and write; end where there are no data."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--more", type=Path, help="a checkout with the other reports of vllm")
    parser.add_argument("--write", action="store_true", help=f"write {written}")
    arguments = parser.parse_args()
    if not VERDICTS.is_dir():
        print("The judged reports are not here: nothing is measured.")
        sys.exit(0)
    print("Reading the judged reports.")
    return arguments


def main() -> None:
    """Train on all reports, print how good the model is, and write it where asked."""
    arguments = read_arguments("Train the packaged classifier.", PACKAGED.name)
    command = "python -m tests.benchmarks.classifier"
    model = train(judged_reports(arguments.more), word_vectors(), command)
    print(json.dumps(model.description, indent=2))
    if arguments.write:
        write_file(PACKAGED, as_bytes(model))


if __name__ == "__main__":
    main()
