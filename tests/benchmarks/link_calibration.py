"""How often links are right, by grade, as people read them; and whether one half foretells another.

Run by hand:

    python -m tests.benchmarks.link_calibration [VERDICTS]

VERDICTS is a CSV file as ``link_verdicts.csv`` beside this file, a line for each link that was
read: the repository, the issue's number, the commit, the approach, whether the words that name the
issue close it (``closes``), whether the link has a doubt (``is_doubted``; the sample knew those of
``intermediate.link_warnings`` by number, by time after the close, and by five bugs), and whether it
is right: whether the commit is part of what was done to end the reported problem. Tests that came
later, work-arounds that only silence a test, and releases that carry a fix are not.

The histories and reports are those of the Denchmark data set (Kim, Kim and Lee, "Denchmark: A Bug
Benchmark of Deep Learning-related Software", MSR 2021; public repository RosePasta/Denchmark_BRs).
Links of an approach were drawn by a hash of their key, at most so many of one project, those of one
pull request and issue as one. ``sample`` 1 are the 15 projects on which the rules were made, 2 and
3 are 23 others, which were read afterwards; one rule ("test for issue 12" is not a fix) was made on
sample 2 and its links drawn again.

Printed are, by grade, the links read and right, the share with Wilson's interval, and what
``intermediate.link_confidence_levels`` makes of it; then what sample 1 predicts for the others
beside what was found there, in all, by approach and by grade, with Brier's score of the prediction.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from scipy.stats import binomtest

VERDICTS = Path(__file__).with_name("link_verdicts.csv")
GRADES = {
    "plain_id": "plain_number",
    "named_by_pull_request": "merge_title",
    "named_in_comment": "comment",
}

Verdict = dict[str, str]
Counts = dict[str, tuple[int, int]]


def main() -> None:
    verdicts = read(Path(sys.argv[1]) if len(sys.argv) > 1 else VERDICTS)
    projects = len({one["repository"] for one in verdicts})
    print(f"{len(verdicts)} links of {projects} projects were read")
    print("grade               read right  share       95 %  confidence")
    for grade, (number, right) in sorted(counts(verdicts).items()):
        print(f"{grade:18} {shown(number, right)}{confidence(number, right):12.3f}")
    made = [one for one in verdicts if one["sample"] == "1"]
    others = [one for one in verdicts if one["sample"] != "1"]
    known = counts(made)
    print("\npredicted by the projects of the rules, and found in the others")
    print("                    read right  share       95 %   predicted")
    predictions: tuple[tuple[str, Callable[[Verdict], str]], ...] = (
        ("all", lambda _: "all"),
        ("by approach", lambda one: one["approach"]),
        ("by grade", grade_of),
    )
    for title, key in predictions:
        print(title)
        for name, group in sorted(grouped(others, key).items()):
            prediction = sum(predicted(known, one) for one in group) / len(group)
            right = sum(one["is_right"] == "1" for one in group)
            print(f"  {name:21.21}{shown(len(group), right)[1:]}{prediction:12.3f}")
    errors = [(predicted(known, one) - (one["is_right"] == "1")) ** 2 for one in others]
    print(f"Brier's score {sum(errors) / len(errors):.3f}")


def read(path: Path) -> list[Verdict]:
    """The verdicts of a file."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def grade_of(verdict: Verdict) -> str:
    """The grade of a link, as marts.fix_link_confidence gives it."""
    if verdict["approach"] in GRADES:
        return GRADES[verdict["approach"]]
    if verdict["is_doubted"] == "1":
        return "doubted_mention"
    return "closing_words" if verdict["closes"] == "1" else "mention"


def counts(verdicts: Iterable[Verdict]) -> Counts:
    """Links read and right, by grade; closing_merge are those merges whose words close."""
    found: dict[str, list[bool]] = defaultdict(list)
    for one in verdicts:
        is_right = one["is_right"] == "1"
        found[grade_of(one)].append(is_right)
        if one["approach"] == "named_by_pull_request" and one["closes"] == "1":
            found["closing_merge"].append(is_right)
    return {grade: (len(all_), sum(all_)) for grade, all_ in found.items()}


def confidence(number: int, right: int) -> float:
    """The mean of what is known of the share after the reading (Jeffreys' prior)."""
    return (right + 0.5) / (number + 1)


def predicted(known: Counts, verdict: Verdict) -> float:
    return confidence(*known.get(grade_of(verdict), (0, 0)))


def grouped(verdicts: Iterable[Verdict], key: Callable[[Verdict], str]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = defaultdict(list)
    for one in verdicts:
        found[key(one)].append(one)
    return found


def shown(number: int, right: int) -> str:
    interval = binomtest(right, number).proportion_ci(method="wilson")
    return f"{number:5}{right:6}{right / number:7.3f}  {interval.low:.3f} {interval.high:.3f}"


if __name__ == "__main__":
    main()
