"""docs/accuracy.md: how often labels and links are right, and how many are found."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from perf_assets.core.labelling.vocabulary import WORDS
from perf_assets.core.linking.links import APPROACHES
from perf_assets.reports.markdown_table import markdown_table
from tests import planted_links
from tests.benchmarks.commit_classifier import RESULT as COMMITS
from tests.benchmarks.label_accuracy import RESULT as ACCURACY
from tests.benchmarks.label_accuracy import WORDS_RESULT as WORD_ACCURACY
from tests.benchmarks.link_calibration import VERDICTS, counts, read, shown
from tests.link_traps import DOUBTED, NO_REVERTS, REVERTS, TRAPS, UNREAD, WRONG, planted

LABELS_HEAD = """# Accuracy of labels and links

How often labels and links are right, and how many are found. `make accuracy` measures the labels
where the judged reports are at hand; `make reference` writes this page.

## Labels

Rules and classifier on reports that people judged. The classifier was trained without the project
on which it is measured; the words of `performance-2026` were chosen with all of these projects in
view, so its figures are those of a set that was fitted to them. Texts alone are read: neither
labels nor forms. Shares are weighted where reports were drawn by strata. Brackets are limits at
95 % by a bootstrap of reports. Other public reports, which no figure here is from, are needed to
say how good the rules are elsewhere.
"""
LABELS_END = """
Reports of *caffe* (286) and *mxnet* (515) were drawn by the authors of MHNurf, and their
kind was judged again in 2026, as those authors call low accuracy and hangs performance, too. That
and *the rest of vllm* was judged by a large language model that saw the title and the beginning of
the body and no label; two passes judged 60 reports alike. *vllm* are 200 reports of 2023 to 2025,
drawn by strata, *the rest of vllm* 595 others of the same population. Memory is judged least
surely. The last rows of caffe and mxnet are measured by the verdicts of the authors of the data,
for which the probabilities of all four kinds are added.

The *share* is that of speed and memory as it was judged, and *corrected* is what
`analysis.corrected_shares` makes of the probabilities, with its limits. In a simulation that drew
60 times 150 to 2,000 of these reports with shares from 3 to 30 %, its limits held 97 % of the true
shares: 98 % for caffe, 99 % for mxnet, the rest of vllm and bugs of vllm, and 87 % for all drawn
reports of vllm, whose wishes and questions about performance look like bugs. Of shares of 1 % they
held 80 %.

## Words of `performance-2026`

How often a word in a title was about the kind that it speaks of, in the reports above.
"""
HEAD = """## Links

How often a link between a commit and an issue is right, and how many are found, from
`tests/link_traps.py`, `tests/planted_links.py` and `tests/benchmarks/link_verdicts.csv`; a test
fails where the page differs from what the rules do.

### Links that were read

One reader judged 696 links of 38 real projects: whether the commit is part of what ended the
reported problem. `marts.fix_link_confidence` gives each link the figure of its grade.
"""
GRADES = {
    "closing_words": "none: `fixes #12`, and what closed the issue for GitHub",
    "closing_merge": "none: a pull request that GitHub relates to the issue",
    "plain_number": "none: `fix 2333`, `issue 12061`",
    "merge_title": "`only_named_by_merge`",
    "comment": "`only_named_in_comment`",
    "mention": "`only_mentioned`",
    "doubted_mention": "the doubt",
}
CERTAIN = """
**Certain** are the kinds without a doubt of their own: links by words that close the issue, by a
number that a verb or "issue" leads, and by a pull request that GitHub relates to the issue. Of 285
that were read 282 were right. Every other link has a doubt that says why
(`intermediate.link_warnings`): what it rests on, as above, or what is odd about the commit.

### Planted histories

The history of `tests/planted_links.py` has every kind of link and every trap below, and all numbers
in it are issues, so that nothing is right by chance. It is harder than real ones, and made by those
who made the rules: it shows what the rules can tell apart, not how often that occurs.
"""
TRAP_HEAD = """
#### Traps

Messages that look as if they fixed an issue, and do not.
"""
REVERT_HEAD = """
#### Reverts and copies

A fix that was taken back has the doubt `reverted_later` and counts only where nothing else fixes
the issue. A revert never counts for the issue of the commit that it takes back. A copy of a commit
that counts (`git cherry-pick`) adds nothing. `links.commit_relations` has the words that say so. A
message that takes back a part of a commit takes nothing back here: the rest may be the fix.
{reverts} wordings of reverts are tested, and {others} messages that only look like one.
"""
LIMITS_HEAD = """
#### What the rules do not see
"""
END = """
- **Another tracker.** In a history that was merged in and shares no first commit with the main line
  only names and addresses of the repository count: `owner/name#12`, not `#12`.
- **Reverts without a name.** "Revert the last change" names no commit. Of the 231 messages that
  begin with "Revert" in the history of chainer/chainer, 113 name what they take back and are seen,
  all 106 of them that quote a subject.
- **The main line** are the first parents of the tip. Where the tip is newer than the last stored
  month, it is the longest line of first parents that ends at a commit without a child.
"""

COMMITS_HEAD = """
## Performance work

How often labels of commits (`labels.performance_commits`) are right, by messages alone: files,
which a study knows, take away tests and tools. It is measured, and the classifier trained, by
`python -m tests.benchmarks.commit_classifier CLONES`.
"""
COMMITS_END = """
For the *judged* changes the classifier was trained without any that was judged of these
repositories. Two thirds of them have a word of performance in title or text, so that they are
harder than usual ones. The messages of *evidencebp* were drawn by such words and judged by its
authors, who count memory and every aspect of time. Of *SWE-fficiency* are the changes of numpy,
scipy, sympy, dask and xarray whose speed-up its authors measured; no precision follows from them.
Neither set was trained on.
"""

SZZ = Path(__file__).parent / "benchmarks" / "szz_accuracy.csv"
"""What `python -m tests.benchmarks.szz` printed."""

SZZ_HEAD = """
## Introducing commits

Measured on 2026-11-29 on the oracle of Rosa and others (ICSE 2021; `grosa1/icse2021-szz-
replication-package`): fixes whose message names the commits that brought the bug. Of its 1,115
fixes these are the 278, of which every commit was found in one of 143 public clones. The first
five answers are those of `details.introducing_commits`. The others are the nine published
variants, by their authors' own output for the same fixes. No answer reads the message of a commit.
Precision is the share of the named commits that are right, recall the share of the 278 commits
that were found. Brackets are Wilson's limits at 95 %. The issue date is none, or that of an ideal
report a minute after the commit that brought the bug, as the package has it: younger commits are
left out. RA-SZZ* and SZZ@OPN are made for Java. On the 15 Java fixes here RA-SZZ* finds 8 and
names 23, SZZ@OPN 1 of 8, R-SZZ 6 of 14, the latest candidate 6 of 12.
"""
SZZ_END = """
57 fixes are without a candidate: in 5 the clone lacks a file, 1 takes too long, and 51 take away
no line that counts, such as lines of tests, comments or moved ones. The latest candidate is as
precise as R-SZZ and finds fewer: 18 of the 25 commits that R-SZZ alone finds belong to these
fixes. `marts.bug_lifetimes` uses the latest. The most probable candidate was right in 156 fixes
and the latest in 152 (6 to 2 where they differ, p = 0.29), too few to tell them apart; with an
ideal report they were right in 161 and 166.

The probability (`intermediate.bug_introductions.probability`) is logistic in the share of the
traced lines (weight 3.692) and the logarithm of the age in days plus one (-0.587; constant
-0.211). These weights were fitted to all of the fixes. For the figures here each half of the
clones has the probabilities that were fitted to the other half. Their Brier score is 0.115; the
shares that are right are below. The fixes of the oracle name commits that are mostly young:
candidates of old bugs may have lower probabilities than they should.

| probability | candidates | mean | right |
| --- | ---: | ---: | --- |
| below 0.1 | 133 | 0.044 | 0.053 [0.026, 0.105] |
| 0.1 to 0.25 | 61 | 0.168 | 0.164 [0.092, 0.276] |
| 0.25 to 0.5 | 51 | 0.367 | 0.294 [0.187, 0.430] |
| 0.5 to 0.75 | 50 | 0.627 | 0.680 [0.542, 0.792] |
| 0.75 and more | 113 | 0.908 | 0.894 [0.824, 0.938] |

What a fix says itself is not measured, as the oracle was chosen by it. A candidate that the fix
takes back, or whose hash is in its message, has probability 1 by definition. The oracle has no fix
that is a revert, and no answer follows `.git-blame-ignore-revs`, which these histories were not
traced with.

`python -m tests.benchmarks.szz ORACLE CLONES --variants FOLDER` prints these figures.
"""

OTHERS_HEAD = """
## Findings, kinds of questions
"""
OTHERS = (("findings of the checks", "50 findings", "0.90 [0.79, 0.96]", "14 of 16"),)
OTHERS_END = """
Findings are those in 28 public repositories that no rule was corrected by, read by one
reader; the [checks](checks/index.md) have them by rule. Their recall is of five calls of `map` and
eleven training loops that were read. How well kinds of questions are recognised depends on the
questions: `analysis.question_kind_quality` measures it on those that people judged in your study.
"""


def accuracy_markdown() -> str:
    """Return the page."""
    verdicts = counts(read(VERDICTS))
    rows = []
    for grade, doubt in GRADES.items():
        number, right = verdicts[grade]
        low, high = shown(number, right).split()[-2:]
        share = f"{right / number:.3f}"
        rows.append([grade, str(number), str(right), share, f"{low} to {high}", doubt])
    columns = ("grade", "read", "right", "precision", "95 %", "doubt of the kind")
    parts = [LABELS_HEAD, _labels(), LABELS_END, _words()]
    parts += [HEAD, markdown_table(columns, rows, numeric=range(1, 5), cell=str), CERTAIN]
    figures = ("planted", "found", "right", "wrong without doubt", "precision", "recall")
    parts.append(
        markdown_table(("approach", *figures), _by_approach(), numeric=range(1, 7), cell=str)
    )
    linked = {name for _, name, _ in planted_links.found()}
    traps = Counter(
        case.kind
        for place, case in enumerate(planted())
        if not case.fixed and f"message{place}" in linked
    )
    rows = [[kind, str(len(texts)), str(traps[kind])] for kind, texts in TRAPS.items()]
    parts += [TRAP_HEAD, markdown_table(("trap", "messages", "linked"), rows, numeric=(1, 2))]
    parts.append(REVERT_HEAD.format(reverts=len(REVERTS), others=len(NO_REVERTS)))
    parts += [LIMITS_HEAD, "\n".join(_limits()) + END]
    parts += [COMMITS_HEAD, _commits(), COMMITS_END]
    columns = ("what", "measured on", "precision", "recall")
    judged, *answers = csv.reader(SZZ.read_text(encoding="utf-8").splitlines())
    parts += [SZZ_HEAD, markdown_table(judged, answers, numeric=(2, 3), cell=str), SZZ_END]
    parts += [OTHERS_HEAD, markdown_table(columns, OTHERS, cell=str), OTHERS_END]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def _labels() -> str:
    """Return the table of tests/benchmarks/label_accuracy.csv."""
    with ACCURACY.open(encoding="utf-8") as file:
        rows = [
            [
                row["project"],
                row["method"],
                row["truth"],
                f"{row['positives']} of {row['reports']}",
                *(row[name] for name in ("share", "precision", "recall")),
                *(_limits_of(row, name) for name in ("f1", "auc")),
                f"{row['estimated']} [{row['low']}, {row['high']}]" if row["estimated"] else "",
                row["measured"],
            ]
            for row in csv.DictReader(file)
        ]
    columns = (
        *("project", "labels", "truth", "performance", "share", "precision", "recall", "F1"),
        *("area under ROC", "corrected", "measured"),
    )
    return markdown_table(columns, rows, numeric=(4, 5, 6), cell=str)


def _commits() -> str:
    """Return the table of tests/benchmarks/commit_accuracy.csv."""
    with COMMITS.open(encoding="utf-8") as file:
        rows = [
            [
                row["set"],
                f"{row['performance']} of {row['changes']}",
                row["precision"],
                row["recall"],
            ]
            for row in csv.DictReader(file)
        ]
    columns = ("changes", "performance", "precision", "recall")
    return markdown_table(columns, rows, numeric=(2, 3), cell=str)


def _limits_of(row: dict[str, str], name: str) -> str:
    return f"{row[name]} [{row[name + '_low']}, {row[name + '_high']}]" if row[name] else ""


def _words() -> str:
    """Return each word of the rule set with its reason and how often it was right."""
    with WORD_ACCURACY.open(encoding="utf-8") as file:
        counted = {row["word"]: row for row in csv.DictReader(file)}
    rows = []
    for name, word in WORDS.items():
        found = counted.get(name, {"right": "0", "found": "0"})
        place = "counts" if word.alone else "sign of the classifier"
        rows.append([name, word.kind, place, f"{found['right']} of {found['found']}", word.reason])
    return markdown_table(("word", "kind", "use", "right in titles", "why"), rows, cell=str)


def _by_approach() -> Iterator[list[str]]:
    truth, found = planted_links.truth(), planted_links.found()
    for approach in (*APPROACHES, "all"):
        expected = {key for key in truth if approach in (key[2], "all")}
        links = {key for key in found if approach in (key[2], "all")}
        right = links & expected
        sure = sum(found[key] for key in links - expected)
        shares = (f"{len(right) / len(links):.3f}", f"{len(right) / len(expected):.3f}")
        yield [f"`{approach}`", *map(str, map(len, (expected, links, right))), str(sure), *shares]


def _limits() -> Iterator[str]:
    for title, messages in (
        ("Linked, though no fix, with the doubt `only_mentioned`", DOUBTED),
        ("Linked, though no fix, without a doubt", WRONG),
        ("Not linked, though a fix", [message for message, *_ in UNREAD]),
    ):
        quoted = ", ".join(f'"{message.replace(chr(10) * 2, ": ")}"' for message in messages)
        yield f"- **{title}:** {quoted}."
