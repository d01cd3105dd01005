"""What texts name: issues in the message of a commit, pull requests in the comment of an issue."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from perf_assets.core.linking.host_words import GITHUB, HostWords, words_of
from perf_assets.core.linking.message_numbers import (
    NEGATION,
    plain_numbers,
    without_other_numbers,
)
from perf_assets.core.linking.pull_requests import ADDRESS, foreign_numbers, own_names
from perf_assets.core.linking.revert_words import NAMES_OTHERS, own_words, without_reverted
from perf_assets.core.markdown import visible_lines

ANY_URL = re.compile(r"\b\w+://[^\s<>\"]+")
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
VERB = r"(?:(?:fix|clos|resolv)(?:e[sd]?|es|ed|ing)?:?\s+(?:issue\s+)?)?"
CLOSING = re.compile(r"fix|clos|resolv", re.IGNORECASE)
# "Merge pull request #12" names no issue, even where another repository's history was merged in
# and the number happens to be one of ours.
PULL_REQUEST = re.compile(
    r"\b(?:pull[ -]requests?|PRs?):?\s+#\d+(?:(?:,| and)\s+#\d+)*", re.IGNORECASE
)
NUMBER = (
    r"(?:(?P<repository>(?<![\w./-])[\w-]+/[\w.-]+)|(?<![\w&#/.-]))#(?P<number>[1-9]\d*)(?![\w])"
)
NAMED_NUMBER = re.compile(NUMBER)
NAMED_ISSUE = re.compile(
    rf"{VERB}{NUMBER}|{VERB}(?<![\w/-])GH-(?P<gh>[1-9]\d*)(?![\w])", re.IGNORECASE
)
LINKED_ISSUE = re.compile(VERB + ADDRESS.pattern, re.IGNORECASE)
DIGIT = re.compile(r"\d")
ITEM = re.compile(r"^ {0,3}(?:[-*+]\s+|\d+[.)]\s+)?#(?P<number>\d+)(?P<rest>.*)$")
# What robots and people say of a new version of something else quotes the news of that project,
# with its numbers.
ROBOT_BUMPS = re.compile(
    r"^Bumps\s+(?:\[|the .+ group\b)|^This PR contains the following updates:"
    r"|^#+\s+Release Notes\s*$|^Updates `[^`\n]+` from \S+ to "
    r"|^Signed-off-by: (?:dependabot|renovate|mend)\b",
    re.MULTILINE | re.IGNORECASE,
)
BUMPS = re.compile(
    r"^(?:\W*[\w()./-]{1,30}:)?\s*(?:bump|upgrade|roll|sync|update)s?\b(?!.*\b(?:version|release)\b)"
    r".*\b(?:to|from|v)\s*v?(?:\d+\.\d|[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)
LISTED = re.compile(r"^\s*(?:[-*+•]\s|[0-9a-f]{7,40}\s|\d{4}-\d\d-\d\d\s)", re.IGNORECASE)
INDENTED = re.compile(r"^(?: {4}|\t)")
QUOTED = re.compile(r"^ {0,3}>")
CALLOUT = re.compile(r"^ {0,3}> ?\[!\w+\]")  # GitHub's boxes: a quote in form alone
# What describes a pull request that is not a fix, in the sentence that names it; and the mark of a
# remark on it, which may say anything.
NO_FIX = re.compile(
    r"(?:\bnot|n't) (?:\w+ )?(?:fix|solve|resolve|address)"
    r"|\b(?:caus(?:ed|es|ing)|introduced|broken?|regression|blocked|depends?|related|relevant"
    r"|similar|unrelated)\b",
    re.IGNORECASE,
)
MENTION = re.compile(r"#\d|/pull/\d")
HOST_MENTION = re.compile(r"!\d|/merge_requests/\d")
SENTENCE = re.compile(r"(?<=[.!?])\s+")
REMARK = re.compile(r"#(?:issuecomment|discussion_r|pullrequestreview)|\s*\(comment\)")


@dataclass(frozen=True)
class Mention:
    """An issue linked to a commit: its number, the approach, and the words or event that link it.

    ``pull_request`` is the number of the pull request that stands between the two, if one does.
    """

    number: int
    approach: str
    evidence: str
    pull_request: int | None = None


def mentions(
    message: str, *names: str, has_own_numbers: bool = True, source: str = GITHUB
) -> list[Mention]:
    """Return the issues of a repository that a commit message names, one per number and approach.

    ``names`` are the repository's name and those that it had before. ``url`` is a link to the
    issue; ``id`` its number written ``#12``, ``GH-12`` or ``owner/name#12``, with or without a
    verb; ``plain_id`` its number without such a mark, where the message names it in no other way
    (:func:`plain_numbers`). Left out are fenced, inline, quoted and indented code, links and
    numbers of other repositories, numbers that the message gives to another repository by address,
    numbers called a pull request, what a revert takes back, what is not a number of an issue or is
    said not to be fixed (:func:`without_other_numbers`), items of a list, and the news of another
    project where a message announces its new version. Of several mentions of an issue one with a
    verb that closes it is reported, else the first. Whether a number is an issue at all is for the
    caller to look up.

    ``has_own_numbers`` is False for the history of another project that was merged in: its numbers
    are its own, and only those with the name or address of the repository count. On another
    ``source`` than GitHub the forms are those of :class:`HostWords`.
    """
    words = words_of(names, source)
    found: dict[tuple[int, str], Mention] = {}
    own = own_names(names)
    foreign = foreign_numbers(message, *names) | (words.foreign(message) if words else set())
    if words and has_own_numbers and (leading := words.leading(message)):
        return [Mention(one.number, "id", one.words) for one in leading]
    if NAMES_OTHERS.search(message):
        message = own_words(message)
    for line, is_subject in _prose(message):
        for mention in _in_line(line, own, words, is_subject=is_subject):
            if not has_own_numbers and "/" not in mention.evidence:
                continue
            key = (mention.number, mention.approach)
            if mention.number in foreign or (key in found and not _closes(mention)):
                continue
            if key not in found or not _closes(found[key]):
                found[key] = mention
    marked = {number for number, approach in found if approach != "plain_id"}
    return [
        mention
        for (number, approach), mention in found.items()
        if approach != "plain_id" or number not in marked
    ]


def _closes(mention: Mention) -> bool:
    """Return whether the words that name an issue begin with a verb that closes it."""
    return CLOSING.match(mention.evidence) is not None


def named_pull_requests(comment: str, *names: str, source: str = GITHUB) -> dict[int, str]:
    """Return the numbers in a comment that may be pull requests that fix its issue, and the words.

    By address, ``#12`` or ``owner/name#12``; ``names`` are the repository's name and those that it
    had before. Left out are code, quoted lines, as what is quoted was written elsewhere, remarks on
    a pull request, and sentences that say of it that it is not a fix: it caused, introduced or
    broke something, it is related or similar. The caller looks up whether a number is a pull
    request, and whether it landed. On another ``source`` than GitHub they are written ``!12``.
    """
    words = words_of(names, source)
    telling = HOST_MENTION if words else MENTION
    own = own_names(names)
    found: dict[int, str] = {}
    for line in visible_lines(comment):
        if not telling.search(line) or QUOTED.match(line) or INDENTED.match(line):
            continue
        for sentence in SENTENCE.split(INLINE_CODE.sub(" ", line)):
            if not telling.search(sentence) or NO_FIX.search(sentence):
                continue
            if words is None:
                for number, text in _pull_requests_in(sentence, own):
                    found.setdefault(number, text)
                continue
            for change in words.changes(sentence, ANY_URL.sub(" ", sentence)):
                found.setdefault(change.number, change.words)
    return found


def _pull_requests_in(sentence: str, own: Collection[str]) -> Iterator[tuple[int, str]]:
    for link in ADDRESS.finditer(sentence):
        is_own = link["repository"].casefold() in own and link["sort"].casefold() == "pull"
        if is_own and not REMARK.match(sentence, link.end()):
            yield int(link["number"]), link[0]
    text = ANY_URL.sub(" ", sentence)
    for named in NAMED_NUMBER.finditer(text):
        is_own = named["repository"] is None or named["repository"].casefold() in own
        if is_own and not REMARK.match(text, named.end()):
            yield int(named["number"]), named[0]


def _prose(message: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines with a number that are not code, and whether each is the subject."""
    lines = visible_lines(message)
    subject = next((index for index, line in enumerate(lines) if line.strip()), 0)
    numbered = _enumerated(lines, subject)
    by_robot = ROBOT_BUMPS.search(message) is not None
    is_bump = bool(lines) and BUMPS.match(lines[subject].strip()) is not None
    negation = ""  # the end of the line before, where a sentence goes on after "does not"
    is_callout = False
    for index, line in enumerate(lines):
        is_quoted = QUOTED.match(line) is not None
        is_callout = is_quoted and (is_callout or CALLOUT.match(line) is not None)
        if INDENTED.match(line) or (is_quoted and not is_callout):
            continue
        if index != subject and (by_robot or (is_bump and LISTED.match(line))):
            continue
        text = INLINE_CODE.sub(" ", line if index not in numbered else line.replace("#", "", 1))
        if DIGIT.search(text):
            text = f"{negation} {text}" if negation else text
            yield without_other_numbers(without_reverted(text)), index == subject
        negation = end[0] if (end := NEGATION.search(line)) else ""


def _enumerated(lines: list[str], subject: int) -> set[int]:
    """Places of the lines whose leading ``#k`` counts items: a run from 1, or ``#1 text`` alone."""
    run: dict[int, str] = {}
    for index, line in enumerate(lines):
        item = ITEM.match(line)
        if item is not None and int(item["number"]) == len(run) + 1:
            run[index] = item["rest"].strip()
    if len(run) >= 2:
        return set(run)
    return {index for index, text in run.items() if index != subject and text}


def _in_line(
    line: str, own: Collection[str], words: HostWords | None, *, is_subject: bool
) -> Iterator[Mention]:
    for link in LINKED_ISSUE.finditer(line):
        if link["repository"].casefold() in own and link["sort"].casefold() == "issues":
            yield Mention(int(link["number"]), "url", link[0])
    text = ANY_URL.sub(" ", line)
    if words is not None:
        for one in words.issues(line, text):
            yield Mention(one.number, "url" if one.by_address else "id", one.words)
        if not words.has_plain_numbers:
            return
    for named in () if words else NAMED_ISSUE.finditer(PULL_REQUEST.sub(" ", text)):
        if named["repository"] is None or named["repository"].casefold() in own:
            yield Mention(int(named["number"] or named["gh"]), "id", named[0])
    for number, written in plain_numbers(text, is_subject=is_subject):
        yield Mention(number, "plain_id", written)
