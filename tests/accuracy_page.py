"""docs/accuracy.md: how often links are right, and how many are found, by kind of link."""

from collections import Counter
from collections.abc import Iterator

from perf_assets.core.linking.links import APPROACHES
from perf_assets.reports.markdown_table import markdown_table
from tests import planted_links
from tests.benchmarks.link_calibration import VERDICTS, counts, read, shown
from tests.link_traps import DOUBTED, NO_REVERTS, REVERTS, TRAPS, UNREAD, WRONG, planted

HEAD = """# Accuracy of links

How often a link between a commit and an issue is right, and how many are found. Written by
`make reference` from `tests/link_traps.py`, `tests/planted_links.py` and
`tests/benchmarks/link_verdicts.csv`; a test fails where the page differs from what the rules do.

## Links that were read

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

## Planted histories

The history of `tests/planted_links.py` has every kind of link and every trap below, and all numbers
in it are issues, so that nothing is right by chance. It is harder than real ones, and made by those
who made the rules: it shows what the rules can tell apart, not how often that occurs.
"""
TRAP_HEAD = """
### Traps

Messages that look as if they fixed an issue, and do not.
"""
REVERT_HEAD = """
### Reverts and copies

A fix that was taken back has the doubt `reverted_later` and counts only where nothing else fixes
the issue. A revert never counts for the issue of the commit that it takes back. A copy of a commit
that counts (`git cherry-pick`) adds nothing. `links.commit_relations` has the words that say so. A
message that takes back a part of a commit takes nothing back here: the rest may be the fix.
{reverts} wordings of reverts are tested, and {others} messages that only look like one.
"""
LIMITS_HEAD = """
### What the rules do not see
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
    parts = [HEAD, markdown_table(columns, rows, numeric=range(1, 5), cell=str), CERTAIN]
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
    return "\n".join(part.strip("\n") + "\n" for part in parts)


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
