"""Issues that a commit message names without ``#``: ``fix 2333``, ``issue 12061``, ``fix-8327``."""

import re
from collections.abc import Iterator

FIX = r"(?:(?:bug|hot)?fix(?:e[sd])?|close[sd]?|resolve[sd]?)"
# The word before says whose issue it is: "numpy issue 12" is not ours.
# A test for an issue comes after its fix.
LEAD = (
    rf"(?:^\W*|[,;:(\[]\s*|\b(?:{FIX}|fixing|closing|resolving|and|of|to|in|by|see)\s+"
    r"|(?<!\btest )(?<!\btests )\bfor\s+)"
)
# Where a clause goes on after a number, it counts something ("fix 200 typos").
ENDS = r"(?=\s*(?:$|[:;)\]]|[.,](?:\s|$)|\(#|(?:and|by|in|with)\b))"
# Part of something else: "3.5", "1,000", "10-20", "50%", "1e6".
WHOLE = r"(?![\w%]|[.,/-]\w)"

WORDED = re.compile(
    rf"{LEAD}(?P<words>issues?[ _](?P<number>[1-9]\d{{1,8}})){WHOLE}", re.IGNORECASE
)
GLUED = re.compile(
    rf"(?<![\w/.-])(?P<words>(?:issues?|{FIX})#(?P<number>[1-9]\d{{0,8}}))(?!\w)", re.IGNORECASE
)
FIXED = re.compile(
    rf"(?<![\w/.-])(?P<words>{FIX}:? (?P<number>[1-9]\d{{2,8}})){WHOLE}{ENDS}", re.IGNORECASE
)
# A branch is often named after its issue, and GitHub makes a title of its name: "Bugfix/2956 tpu".
NAME = r"(?:(?:bug|hot)?fix(?:es)?|issues?|bug|gh)"
MERGED = re.compile(
    r"Merge (?:pull request #\d+ from [\w.-]+/|branch ')(?:[\w.-]+/)*"
    rf"(?P<words>{NAME}[-_/]?#?(?P<number>[1-9]\d{{2,8}}))(?![\d.])[\w/#.-]*(?:'(?: into \S+)?)?$",
    re.IGNORECASE,
)
TITLED = re.compile(
    rf"(?:\[[^\]]*\]\s*)?(?P<words>{NAME}[-_/]#?(?P<number>[1-9]\d{{2,8}}))(?=\s|:|$)",
    re.IGNORECASE,
)
# What all of these have, tested first: hardly a line has it.
MAYBE = re.compile(r"(?:issues?|bug|gh|fix|e[sd]?):?[ _/-]?#?\d", re.IGNORECASE)
STATUS_CODES = range(400, 600)


def plain_numbers(line: str, *, is_subject: bool) -> Iterator[tuple[int, str]]:
    """Yield the numbers that ``line`` of a message gives to issues, but not as ``#12``.

    The forms are those of 15 real histories. After "issue" a number from 10 on, where it begins a
    clause or follows a verb or preposition; any that is glued to "issue" or a verb by ``#``; after
    a verb that closes issues one from 100 on, at the end of a clause, that is not a status code of
    HTTP; and in the subject, from 100 on, that of a merged branch's name or of the title that
    GitHub made of one. Lower numbers count things in such places. A branch into which another was
    merged names nothing: such a merge brings the rest of the project.

    Returns
    -------
    Number and the words that give it, in the order of the text; perhaps several times.
    """
    if MAYBE.search(line) is None:
        return
    matches = [*WORDED.finditer(line), *GLUED.finditer(line)]
    matches += [match for match in FIXED.finditer(line) if int(match["number"]) not in STATUS_CODES]
    if is_subject:
        matches += filter(None, (MERGED.match(line), TITLED.match(line)))
    for match in sorted(matches, key=lambda match: match.start("words")):
        yield int(match["number"]), match["words"]
