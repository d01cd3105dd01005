"""How good the labelling rule is: precision by stratum, and recall, against verdicts of people.

Run by hand:

    python -m tests.benchmarks.labelling FOLDER [--study STUDY]

FOLDER has a file verdicts.csv, or several folders each with one: the columns number and verdict
(yes, no or unsure; also true, false, 1, 0), of many raters one line each, of which the commonest
word counts. The reports stand in the same file, as columns title, body and labels (separated by
|), or beside it in issues.jsonl or issues.jsonl.gz, as GitHub's REST interface tells them. A
sheet of `perf-assets review sample` has the columns of the first kind but for the bodies, for
which a corpus must stand beside it. Without a study the rule of the packaged study dl-frameworks
is tried.

Precision is of the judged reports that the rule labels, recall of those judged yes, each with
Wilson's 95 per cent interval. Recall is that of all reports only where the judged ones
were drawn from all of them alike, which a sheet of review sample is not.
"""

import argparse
import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.config.study import load_study
from perf_assets.core.labelling.labels import Rules, label_issues
from perf_assets.core.statistics.agreement import wilson_interval

WORDS = {
    **dict.fromkeys(("yes", "true", "1", "y", "performance"), True),
    **dict.fromkeys(("no", "false", "0", "n", "other"), False),
    **dict.fromkeys(("unsure", "", "?"), None),
}
NO_TEMPLATES = pl.DataFrame(
    schema={
        "sha": pl.String,
        "path": pl.String,
        "committed_at": pl.Datetime("us", "UTC"),
        "body": pl.String,
        "month": pl.String,
    }
)
Report = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--study", default="dl-frameworks", help="whose rule, a file or a name")
    arguments = parser.parse_args()
    rules = load_study(arguments.study).rules
    folders = sorted(path.parent for path in arguments.folder.rglob("verdicts.csv"))
    if not folders:
        raise SystemExit(f"{arguments.folder}: neither it nor a folder in it has a verdicts.csv")
    judged = [labelled(folder, rules) for folder in folders]
    for folder, reports in zip(folders, judged, strict=True):
        print_quality(folder.name, reports, rules)
    if len(judged) > 1:
        print_quality("all together", pl.concat(judged), rules)


def labelled(folder: Path, rules: Rules) -> pl.DataFrame:
    """The judged reports of a folder with their labels by ``rules``; column is_right."""
    verdicts, own = read_verdicts(folder / "verdicts.csv")
    texts = {**dict(read_corpus_issues(folder)), **own}
    if missing := sorted(verdicts.keys() - texts.keys()):
        raise SystemExit(
            f"{folder}: there is no title of {len(missing)} judged reports, {missing[0]} for one; "
            "add issues.jsonl, or a column title"
        )
    # What stands in several bodies is a template: all that is known decides, not the judged alone.
    frame = pl.DataFrame(
        [texts[number] for number in sorted(texts)],
        schema={
            "repository": pl.String,
            "number": pl.Int64,
            "title": pl.String,
            "body": pl.String,
            "author": pl.String,
            "labels": pl.List(pl.String),
            "month": pl.String,
        },
    )
    decided, _ = label_issues(frame, NO_TEMPLATES, rules)
    right = pl.DataFrame(
        list(verdicts.items()), schema={"number": pl.Int64, "is_right": pl.Boolean}, orient="row"
    )
    return right.join(decided, on="number").sort("number")


def read_verdicts(path: Path) -> tuple[dict[int, bool | None], dict[int, Report]]:
    """The verdict on each report, and the reports whose texts stand beside it."""
    words: dict[int, list[bool | None]] = {}
    reports = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            number = row.get("number") or row.get("issue_number") or ""
            word = (row.get("verdict") or "").strip().casefold()
            if not number.strip().isdigit() or word not in WORDS:
                raise SystemExit(
                    f"{path}: line {line}: a number and a verdict (yes, no or unsure) are needed, "
                    f"not {number!r} and {word!r}"
                )
            words.setdefault(int(number), []).append(WORDS[word])
            if row.get("title") and row.get("body") is not None:
                labels = [label for label in (row.get("labels") or "").split("|") if label]
                reports[int(number)] = report(int(number), row["title"], row["body"], labels)
    return {number: commonest(found) for number, found in words.items()}, reports


def commonest(words: list[bool | None]) -> bool | None:
    """The verdict of most raters; None where no one has most, or they are unsure."""
    ranked = Counter(words).most_common(2)
    is_tie = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return None if is_tie else ranked[0][0]


def read_corpus_issues(folder: Path) -> Iterator[tuple[int, Report]]:
    """The issues beside the verdicts, as GitHub's REST interface tells them."""
    for name, opening in (("issues.jsonl", open), ("issues.jsonl.gz", gzip.open)):
        path = folder / name
        if path.is_file():
            with opening(path, "rt", encoding="utf-8") as file:
                for line in file:
                    issue = json.loads(line)
                    labels = [label["name"] for label in issue.get("labels") or []]
                    author = (issue.get("user") or {}).get("login")
                    month = str(issue.get("created_at") or "")[:7]
                    whole = report(issue["number"], issue["title"], issue.get("body"), labels)
                    yield issue["number"], {**whole, "author": author, "month": month}


def report(number: int, title: str, body: str | None, labels: list[str]) -> Report:
    known = {"repository": "judged", "number": number, "title": title, "body": body}
    return {**known, "author": None, "labels": labels, "month": "2000-01"}


def print_quality(name: str, reports: pl.DataFrame, rules: Rules) -> None:
    """Print precision by stratum, and recall."""
    judged = reports.drop_nulls("is_right")
    print(f"\n{name}: {judged.height} judged, {reports.height - judged.height} unsure")
    for title, chosen in strata(rules):
        part = judged.filter(chosen)
        if part.height:
            print(line(f"precision, {title}", int(part["is_right"].sum()), part.height))
    right = judged.filter("is_right")
    if judged.filter(~pl.col("is_performance")).is_empty():
        print("  recall: not known, for none was judged that the rule does not label")
        return
    print(line("recall", int(right["is_performance"].sum()), right.height))
    is_wide = pl.col("is_performance") | (widened() & pl.col("is_bug_report"))
    print(line("recall, words of the widened list too", right.filter(is_wide).height, right.height))


def strata(rules: Rules) -> Iterable[tuple[str, pl.Expr]]:
    """What the rule labels, and parts of it, by name."""
    is_performance = pl.col("is_performance")
    has_label = pl.col("matched_labels").list.len() > 0
    in_title = pl.col("matched_in").list.contains("title")
    yield "all that the rule labels", is_performance
    yield "a label of the project", is_performance & has_label
    yield "a keyword in the title", is_performance & in_title
    yield "a keyword in the body alone", is_performance & ~in_title & ~has_label
    for strength in ("strong", "moderate", "weak"):
        yield f"strength {strength}", is_performance & (pl.col("strength") == strength)
    for keyword in rules.keywords:
        alone = pl.col("matched_keywords") == [keyword]
        yield f"{keyword!r} alone", is_performance & alone & ~has_label
    yield "words of the widened list alone", ~is_performance & pl.col("is_bug_report") & widened()


def widened() -> pl.Expr:
    return pl.col("widened_keywords").list.len() > 0


def line(title: str, yes: int, n: int) -> str:
    share = wilson_interval(yes, n)
    if share.share is None or share.low is None or share.high is None:
        return f"  {title}: none"
    limits = f"[{100 * share.low:.1f}, {100 * share.high:.1f}]"
    return f"  {title:48} {100 * share.share:5.1f} % {limits:14} {yes} of {n}"


if __name__ == "__main__":
    main()
