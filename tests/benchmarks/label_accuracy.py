"""Measure labels on judged reports of projects that neither rules nor classifier had seen.

    python -m tests.benchmarks.label_accuracy [--more CHECKOUT] [--write]

With --write it writes the files from which docs/accuracy.md is made. The classifier is trained
without the project on which it is measured; the words of `performance-2026` were chosen with all
of them in view. CHECKOUT is that of tests/benchmarks/classifier.py. Limits are those of 1,000
bootstrap samples of reports.
"""

import csv
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from perf_assets.base.files import write_file
from perf_assets.config.classifier import word_vectors
from perf_assets.core.analyses.corrected_shares import adjusted_share
from perf_assets.core.labelling.classifier.model import CLASSES, Model, counted, score
from perf_assets.core.labelling.classifier.training import train
from perf_assets.core.labelling.labels import Rules, label_issues
from perf_assets.core.labelling.places import places_of
from perf_assets.core.labelling.rule_sets import PERFORMANCE_2026
from perf_assets.core.labelling.vocabulary import COUNTED_KINDS, WORDS
from perf_assets.core.paper.constants import KEYWORDS
from perf_assets.schema import schema_of
from tests.benchmarks.classifier import judged_reports, read_arguments

RESULT = Path(__file__).with_name("label_accuracy.csv")
WORDS_RESULT = Path(__file__).with_name("word_accuracy.csv")
COLUMNS = (
    *("project", "truth", "method", "reports", "positives", "share", "estimated", "low", "high"),
    *("precision", "recall", "f1", "f1_low", "f1_high", "auc", "auc_low", "auc_high", "measured"),
)
SAMPLES = 1_000
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]


def main() -> None:
    """Measure, print the table, and write it where asked."""
    arguments = read_arguments("Measure labels on judged reports.", "label_accuracy.csv")
    reports = judged_reports(arguments.more)
    rows = [
        [*row, f"{datetime.now(UTC):%Y-%m-%d}"]
        for project in reports["repository"].unique().sort()
        for row in measured(
            reports.filter(pl.col("repository") != project),
            reports.filter(pl.col("repository") == project),
        )
    ]
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    print(text.getvalue())
    words = "".join(f"{','.join(map(str, row))}\n" for row in of_words(reports))
    print(words)
    if arguments.write:
        write_file(RESULT, text.getvalue())
        write_file(WORDS_RESULT, words)


def of_words(reports: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    """Yield for each word how many titles with it are of its kind, and how many have it."""
    titles = [places_of(title, None).title for title in reports["title"]]
    yield "word", "right", "found"
    for name, word in WORDS.items():
        kinds = reports["kind"].filter(pl.Series(titles).str.contains(word.pattern))
        yield name, int((kinds == word.kind).sum()), len(kinds)


def measured(others: pl.DataFrame, judged: pl.DataFrame) -> Iterator[list[object]]:
    """Yield the rows of a project for each source of its reports, but for the date."""
    model = train(others, word_vectors())
    for (source,), part in judged.group_by("source", maintain_order=True):
        yield from _rows(
            str(source), "speed and memory", model, part, part["kind"].is_in(COUNTED_KINDS)
        )
        if part["is_bug"].all():
            continue
        bugs = part.filter("is_bug")
        name = f"{source}, bugs alone"
        yield from _rows(name, "speed and memory", model, bugs, bugs["kind"].is_in(COUNTED_KINDS))
    if judged["source"][0] in ("caffe", "incubator-mxnet"):
        found = score(model, judged).select(pl.sum_horizontal(CLASSES[1:])).to_series().to_numpy()
        chosen = found >= model.thresholds[counted(CLASSES[1:])]
        truth = judged["authors_say"].to_numpy().astype(bool)
        weights = judged["weight"].to_numpy()
        shown = figures(chosen, truth, weights, found)
        name = judged["source"][0]
        yield _row(
            name, "its authors' verdict", "classifier, any kind", truth, weights, None, shown
        )


def _rows(
    source: str, said: str, model: Model, part: pl.DataFrame, is_true: pl.Series
) -> Iterator[list[object]]:
    truth, weights = is_true.to_numpy().astype(bool), part["weight"].to_numpy()
    for name, rules in (
        ("rule set paper", Rules((), (), KEYWORDS)),
        ("rule set performance-2026", Rules((), (), (), (), (), rule_set=PERFORMANCE_2026)),
    ):
        yield _row(
            source, said, name, truth, weights, None, figures(_chosen(rules, part), truth, weights)
        )
    found = score(model, part).select(pl.sum_horizontal(COUNTED_KINDS)).to_series().to_numpy()
    chosen = found >= model.thresholds[counted(COUNTED_KINDS)]
    share = adjusted_share(np.clip(np.repeat(found, _times(weights)), 1e-4, 1 - 1e-4), model.share)
    shown = figures(chosen, truth, weights, found)
    yield _row(source, said, "classifier", truth, weights, share, shown)


def _times(weights: Floats) -> NDArray[np.int64]:
    """Return how often to take each report, so that the drawn ones stand for their project."""
    return np.round(weights / weights.min()).astype(np.int64)


def _chosen(rules: Rules, part: pl.DataFrame) -> Flags:
    issues = part.with_columns(
        author=pl.lit("someone"),
        labels=pl.lit([], dtype=pl.List(pl.String)),
        month=pl.lit("2020-01"),
    ).with_row_index("position")
    templates = pl.DataFrame(schema=schema_of("raw.issue_templates"))
    asked = issues.drop("number").rename({"position": "number"})
    labels, _ = label_issues(asked, templates, rules)
    return labels["is_performance"].to_numpy().astype(bool)


def figures(
    chosen: Flags, truth: Flags, weights: Floats, found: Floats | None = None
) -> list[float | None]:
    """Return precision, recall, F1 and area under the ROC curve, the last two with limits."""
    random = np.random.default_rng(0)
    drawn = [random.integers(0, len(truth), len(truth)) for _ in range(SAMPLES)]
    hits, marked = weights * (chosen & truth), weights * chosen
    present = weights * truth

    def f1(at: "NDArray[np.int64] | slice") -> float:
        return 2 * float(hits[at].sum()) / max(float(marked[at].sum() + present[at].sum()), 1e-9)

    def area(at: "NDArray[np.int64] | slice") -> float:
        assert found is not None
        scores, yes, each = found[at], truth[at], weights[at]
        order = np.argsort(scores, kind="stable")
        below = np.cumsum((each * ~yes)[order])
        total = float((each * yes)[order] @ below)
        return total / max(float((each * yes).sum() * (each * ~yes).sum()), 1e-9)

    def limits(measure: "Callable[[NDArray[np.int64]], float]") -> list[float]:
        low, high = np.percentile([measure(at) for at in drawn], [2.5, 97.5])
        return [float(low), float(high)]

    whole = slice(None)
    areas = [None] * 3 if found is None else [area(whole), *limits(area)]
    precision = float(hits.sum() / max(marked.sum(), 1e-9))
    recall = float(hits.sum() / max(present.sum(), 1e-9))
    return [precision, recall, f1(whole), *limits(f1), *areas]


def _row(
    source: str,
    said: str,
    method: str,
    truth: Flags,
    weights: Floats,
    share: tuple[float, float, float] | None,
    shown: list[float | None],
) -> list[object]:
    true = float((weights * truth).sum() / weights.sum())
    numbers = [true, *(share or (None,) * 3), *shown]
    rounded = ["" if number is None else f"{number:.3f}" for number in numbers]
    return [source, said, method, len(truth), int(truth.sum()), *rounded]


if __name__ == "__main__":
    main()
