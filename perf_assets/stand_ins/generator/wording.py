"""Words the reports by what they are about, once everything else is planned.

A title, the first sentence and the filling sentences of a performance bug speak of time and memory;
those of other reports of crashes, wrong results, wishes and pages. Keywords that count stay as they
were planned. All is drawn by a stream of its own, so that nothing else of the plan changes.
"""

import re
from collections.abc import Sequence
from itertools import cycle
from random import Random

from perf_assets.stand_ins.generator import phrases
from perf_assets.stand_ins.generator.keywords import KEYWORDS
from perf_assets.stand_ins.generator.model import Commit, Issue
from perf_assets.stand_ins.generator.planner import Plan
from perf_assets.stand_ins.generator.texts import ADJECTIVES, SENTENCES, VERBS

HARD_EVERY = 10
"""One in ten performance bugs whose title needs no keyword has a title about a fault. One in ten
other bug reports has a title that mentions speed. Without these cases a title would always be
right; with many more the titles would look drawn by chance."""

CAUSE_AT = 0.5  # of the months: the loader is rewritten in the first month after
CAUSE_SHARE = 0.6  # of the later performance bugs of the area
MEMORY_SHARE = 1 / 3  # of the performance bugs without a keyword
ATTEMPTS = 30  # to find a title that no other issue has

EVERYWHERE = [what for listed in phrases.OPERATIONS.values() for what in listed]
TRACEBACK = re.compile(r"```\nTraceback \(most recent call last\):\n[^`]*```")
SENTENCE = re.compile("|".join(map(re.escape, SENTENCES)))


def word_reports(plan: Plan, seed: int) -> None:
    """Give every issue a title and a body that fit what it is about."""
    rng = Random(f"wording of {seed}")
    cause = _plan_cause(plan)
    titles: set[str] = set()
    turns = {True: cycle(range(HARD_EVERY)), False: cycle(range(HARD_EVERY))}
    for issue in plan.issues:
        if not issue.title.isascii():  # a trap in itself
            continue
        what = rng.choice(phrases.OPERATIONS[_area(issue)] if _area(issue) else EVERYWHERE)
        is_hard = next(turns[issue.is_about_performance]) == HARD_EVERY - 1
        is_of_memory = _is_of_memory(issue, rng)
        for _ in range(ATTEMPTS):
            frame = _frame(issue, rng, is_of_memory=is_of_memory, is_hard=is_hard)
            title = _title(issue, frame, what, rng, cause)
            if title not in titles:
                break
        titles.add(title)
        if issue.body:
            openings = _openings(issue, is_of_memory=is_of_memory)
            opening = _filled(rng.choice(openings), rng, what)
            issue.body = _body(issue, issue.body, opening, rng)
        _rename(issue, title.upper() if issue.title.isupper() else title)


def _plan_cause(plan: Plan) -> int:
    """Let a usual commit be the change that later reports name; return its time."""
    calendar = plan.calendar
    since = calendar.starts[int(calendar.count * CAUSE_AT)]
    usual = [commit for commit in plain_commits(plan) if commit.at >= since]
    if not usual:
        return calendar.end
    commit = min(usual, key=lambda commit: commit.at)
    commit.message = lambda: phrases.CAUSE_COMMIT
    return commit.at


def plain_commits(plan: Plan) -> list[Commit]:
    """Return the commits that nothing else of the plan needs as they are."""
    taken = {id(commit) for trap in plan.traps.values() for commit in trap.commits}
    taken |= {id(commit) for pull in plan.pulls for commit in (pull.merge_commit, *pull.own)}
    return [commit for commit in plan.commits if _is_plain(commit) and id(commit) not in taken]


def _is_plain(commit: Commit) -> bool:
    is_beside = commit.branch is not None or commit.merges is not None or not commit.is_on_main
    is_special = commit.quotes is not None or commit.program_step or commit.edit.kind != "lines"
    return not (is_beside or is_special or commit.links)


def _title(issue: Issue, frame: str, what: str, rng: Random, cause: int) -> str:
    keyword = _keyword(issue)
    text = _filled(frame, rng, what, keyword)
    is_late = issue.created >= cause and _area(issue) == phrases.CAUSE_AREA
    if is_late and issue.is_about_performance and rng.random() < CAUSE_SHARE:
        text = f"{_filled(frame.replace(' {when}', ''), rng, what, keyword)} {phrases.CAUSE_TITLE}"
    return text[0].upper() + text[1:]


def _keyword(issue: Issue) -> str | None:
    """Return the keyword that was planned for the title, the longest where it holds others."""
    return max((k for k in KEYWORDS if k in issue.title.casefold()), key=len, default=None)


def _frame(issue: Issue, rng: Random, *, is_of_memory: bool, is_hard: bool) -> str:
    """Return what the title says, with places for words and numbers."""
    keyword = _keyword(issue)
    frames: Sequence[str] = [f"{{what}} {fault}" for fault in phrases.FAULTS]
    if not issue.is_bug_report:
        kinds = [kind for kind in phrases.WISHES if kind in " ".join(issue.labels).lower()]
        wishes = phrases.WISHES[kinds[0] if kinds else "feature"]
        frames = wishes if keyword is None else phrases.KEYWORD_WISHES
    elif keyword is not None:
        frames = _keyword_frames(keyword)
    elif issue.is_missed:
        frames = phrases.WIDENED_COSTS
    elif issue.is_about_performance and not is_hard:
        costs = phrases.MEMORY_COSTS if is_of_memory else phrases.TIME_COSTS
        frames = [f"{{what}} {cost}" for cost in costs]
    elif is_hard and not issue.is_about_performance:
        frames = phrases.HURRIED_FAULTS
    return rng.choice(frames)


def _openings(issue: Issue, *, is_of_memory: bool) -> Sequence[str]:
    """Return what the first sentence of the body may say."""
    if not issue.is_bug_report:
        return phrases.WISH_OPENINGS
    if not issue.is_about_performance:
        return phrases.FAULT_OPENINGS
    return phrases.MEMORY_OPENINGS if is_of_memory else phrases.TIME_OPENINGS


def _is_of_memory(issue: Issue, rng: Random) -> bool:
    """Return whether the report is about memory: by its keywords, else in a third of cases."""
    if issue.keywords:
        return any("memory" in keyword for keyword in issue.keywords)
    return rng.random() < MEMORY_SHARE


def _keyword_frames(keyword: str) -> Sequence[str]:
    if keyword in VERBS:
        return phrases.VERB_TITLES
    return phrases.ADJECTIVE_TITLES if keyword in ADJECTIVES else phrases.KEYWORD_TITLES


def _filled(frame: str, rng: Random, what: str, keyword: str | None = None) -> str:
    """Return the frame with its places filled; numbers are drawn."""
    when = rng.choice(phrases.WHENS).format(**_numbers(rng))
    text = frame.format(what=what, keyword=keyword, when=when, **_numbers(rng))
    return " ".join(text.replace(" ?", "?").split())


def _numbers(rng: Random) -> dict[str, int]:
    """Return a number for each place, the low one below the high one."""
    bounds = {"n": (2, 7), "many": (8, 64), "low": (20, 190), "high": (200, 980)}
    return {name: rng.randint(*bound) for name, bound in bounds.items()}


def _area(issue: Issue) -> str:
    """Return the label that names the area of the issue, if it has one."""
    return next((label for label in issue.labels if label in phrases.OPERATIONS), "")


def _rename(issue: Issue, title: str) -> None:
    """Give the issue another title, and to the events that name the old one too."""
    for event in issue.events:
        if event.kind == "renamed" and event.previous and event.current == issue.title:
            event.previous = event.previous.replace(issue.title, title)
            event.current = title
    issue.title = title


def _body(issue: Issue, body: str, opening: str, rng: Random) -> str:
    """Return the body with a first sentence, and in performance bugs with fitting sentences."""
    first = SENTENCE.search(body)
    if first is None:
        return body
    if issue.is_about_performance:
        left = rng.sample(phrases.COST_SENTENCES, len(phrases.COST_SENTENCES))
        body = SENTENCE.sub(lambda _: left.pop() if left else "Thanks!", body)
        if not issue.traced_file:
            measured = phrases.MEASURED.format(**_numbers(rng))
            body = TRACEBACK.sub(lambda _: measured, body)
        body = body.replace("ValueError: expected a scalar", "KeyboardInterrupt")
    return f"{body[: first.start()]}{opening} {body[first.start() :]}"
