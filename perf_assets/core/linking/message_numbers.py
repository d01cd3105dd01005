"""Numbers in commit messages: those of issues without ``#``, and those behind it that are not.

``fix 2333``, ``issue 12061`` and ``fix-8327`` name issues. Frames of stacks, colours and numbers of
other things behind ``#`` do not, nor do issues that the commit says it does not fix.
"""

import re
from collections.abc import Iterator

CLOSE = r"(?:fix|clos|resolv)(?:e[sd]?|es|ed|ing)?"
_HASH = r"(?<![\w&#/.-])#"
_ISSUE = r"(?:[\w-]+/[\w.-]+)?#\d+|GH-\d+|https?://\S+/(?:issues|pull)/\d+\S*"
_ISSUES = rf"(?:{_ISSUE}|\d{{2,9}}\b)(?:(?:,| and| or| nor)+ (?:{_ISSUE}))*"

# gdb, sanitizers, Android and PHP number the frames of a stack.
_FRAME = re.compile(
    rf"^\W*#\d+[:.]?\s+(?:0x[0-9a-f]|pc\s+[0-9a-f]{{4}}|<\w|\{{main\}}|\S+\(\d+\):"
    r"|[^\s()]+ ?\([^()]*\)\s+(?:at|from|in)\s+\S|[\w:~<>]+ \(\)).*"
    rf"|{_HASH}\d+\s+0x[0-9a-f]+.*",
    re.IGNORECASE,
)

_ADVERBS = (
    r"(?:\s+(?:yet|fully|completely|actually|really|entirely|directly|quite|necessarily|properly"
    r"|itself|be|been|get|being|a|an|the|intended to|meant to|supposed to|try to|attempt to))*"
)
_NOT = (
    r"(?:\b(?:not|never|without|cannot|no longer|instead of|rather than|unable to)|n['’]?t)"
    rf"(?!\s+only\b){_ADVERBS}"
)
_CLAUSE = (
    rf"\s+(?:{CLOSE}|solv\w+|address\w*|solution|related)"
    r"(?:\s+(?:by|in|with|for|of|to|the|issues?|bugs?|problems?))*"
)
_NEGATED = re.compile(
    rf"{_NOT}{_CLAUSE}:?\s*(?:{_ISSUES})"
    rf"|\bunrelated\s+to(?:\s+(?:the|issues?|bugs?))*\s*(?:{_ISSUES})"
    rf"|\bnot\s+(?:{_ISSUE})",
    re.IGNORECASE,
)
NEGATION = re.compile(rf"{_NOT}(?:{_CLAUSE})?\s*$", re.IGNORECASE)
"""The end of a line whose sentence denies that the issue on the next line is fixed."""

# What is numbered with the same sign, and whose number it is. "Fails on GPU #5682" ends with an
# issue: of things that are counted only low numbers are theirs.
_THING = re.compile(
    r"\b(?:(?:PEP|RFC|CVE|ADR|EIP|BIP|JEP|KEP|MR|merge request"
    r"|(?:CI|Travis|Jenkins|AppVeyor|CircleCI|Buildkite)(?:'s)? (?:builds?|jobs?|runs?)"
    r"|upstream(?:'s)?(?: (?:issue|bug|PR))?):?\s+#\d+"
    r"|(?:builds?|jobs?|runs?|pipeline|steps?|sections?|chapters?|figures?|fig\.?|tables?|pages?"
    r"|lines?|items?|options?|attempt|round|phase|lesson|exercise|core|[cg]pu|device|thread|worker"
    r"|shard|channel|port|slot|layer|footnote|episode|revision|patchset)\s+#\d{1,2}\b)"
    r"(?:(?:,| and| or)+ #\d+)*",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    rf"{_HASH}\d+(?=\s+(?:of\s+(?!(?:the|this|our|these|that|its?|an?|all|course)\b)[a-z][\w/.-]*"
    r"|(?:of|in|from|at|on)\s+(?:the\s+)?(?!(?:this|our|main)\b)"
    r"(?:upstream\b|[\w./-]+(?:'s)?\s+(?:repo|repository|project|(?:bug |issue )?tracker)\b)))",
    re.IGNORECASE,
)
# "Two changes: #1 move it, #2 rename it."
_COUNTED = re.compile(rf"{_HASH}(?P<number>\d{{1,3}})\b")

_COLOURS = (
    r"(?:colou?rs?|navy|gr[ae]y|black|white|red|green|blue|yellow|orange|purple|pink|brown|teal"
    r"|cyan|magenta|maroon|olive|silver|gold|hex|shade|tint|rgba?|background|foreground|bg|fg"
    r"|border|text)"
)
_HEX = re.compile(r"(?<![\w&#/.-])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?!\w)", re.IGNORECASE)
_LETTERED = re.compile(r"#(?:0|\d*[a-f])", re.IGNORECASE)
_REPEATED = re.compile(r"#(\d)\1{2,}$")
_COLOUR_WORD = re.compile(rf"\b{_COLOURS}\b", re.IGNORECASE)
_BEFORE_COLOUR = re.compile(
    rf"(?:\b{_COLOURS}(?:\s(?:from|to|of|is|as))?|(?:colou?r|background|border|fill"
    r"|stroke|shadow|outline|gradient)[\w-]{0,20}['\"]?\s?[:=])\s?['\"(`]{0,2}$",
    re.IGNORECASE,
)
_AFTER_COLOUR = re.compile(rf"^['\")`]*\s*(?:;|{_COLOURS}\b)", re.IGNORECASE)
_NEXT_COLOUR = re.compile(r"^['\")`]*\s*(?:to|and|or|with|by|,|/|->|=>|→)+\s*['\"(`]*$")
_NEAR = 40  # characters on either side that say what a number is
_CLOSING = re.compile(rf"\b{CLOSE}:?\s+(?:issue\s+)?$", re.IGNORECASE)


def without_other_numbers(line: str) -> str:
    """Return a line of a message without the numbers that name no issue which the commit may fix.

    Left out are the frames of stacks, colours, numbers of other things (PEP #8, build #12) and of
    the trackers of others (``#12 of other-project``, upstream #12), the items that a sentence
    counts from #1 on, and issues that the line says are not fixed.
    """
    line = _FRAME.sub(" ", line)
    for pattern in (_NEGATED, _THING, _OF_ANOTHER):
        line = pattern.sub(" ", line)
    return _without_colours(_without_counted(line))


def _without_counted(line: str) -> str:
    numbers = [int(match["number"]) for match in _COUNTED.finditer(line)]
    if numbers[:2] != [1, 2]:
        return line
    items = iter(range(1, len(numbers) + 1))

    def count(found: re.Match[str]) -> str:
        return " " if int(found["number"]) == next(items) else found[0]

    return _COUNTED.sub(count, line)


def _without_colours(line: str) -> str:
    for start, end in reversed([*_colours(line)]):
        line = f"{line[:start]} {line[end:]}"
    return line


def _colours(line: str) -> Iterator[tuple[int, int]]:
    """Yield the places of colours: ``color: #333``, "from #ccc to #333", "#444 text".

    Digits alone are a colour where the words beside them say so, where they follow a colour, or
    repeat one digit or stand beside a colour with letters in a line about colours. After a verb
    that closes issues, or in brackets, they are an issue.
    """
    found = list(_HEX.finditer(line))
    has_letters = any(_LETTERED.match(match[0]) for match in found)
    has_word = _COLOUR_WORD.search(line) is not None
    last: re.Match[str] | None = None
    for match in found:
        before = line[max(0, match.start() - _NEAR) : match.start()]
        after = line[match.end() : match.end() + _NEAR]
        is_lettered = _LETTERED.match(match[0]) is not None
        is_issue = (
            _CLOSING.search(before) is not None
            or (before.endswith("(") and after.startswith(")"))
            or (not before.strip() and after.startswith(":"))
        )
        is_colour = is_lettered or (
            not is_issue
            and (
                has_letters
                or (has_word and _REPEATED.match(match[0]) is not None)
                or _BEFORE_COLOUR.search(before) is not None
                or _AFTER_COLOUR.match(after) is not None
                or (
                    last is not None
                    and len(last[0]) == len(match[0])
                    and _NEXT_COLOUR.match(line[last.end() : match.start()]) is not None
                )
            )
        )
        if is_colour:
            last = match
            yield match.span()


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
