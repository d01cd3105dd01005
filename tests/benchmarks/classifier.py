"""Train the packaged classifier, and measure it and the rules on projects they had not seen.

    python -m tests.benchmarks.classifier [CHECKOUT]

Texts are those of the judged reports in `shared/data/verdicts`; CHECKOUT is one of
yunwei37/vllm-exp, which has the other reports of vllm that `kind_verdicts.csv` judges.
"""

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
`vllm.jsonl.gz`, each judged by one reader who saw its title and the beginning of its body. Of caffe
and mxnet, `quality` is what the authors of the data call performance and that reader did not."""

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


def main(more: Path | None) -> None:
    """Train on all reports, and write the packaged model."""
    model = train(judged_reports(more), word_vectors(), "python -m tests.benchmarks.classifier")
    write_file(PACKAGED, as_bytes(model))
    print(json.dumps(model.description, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
