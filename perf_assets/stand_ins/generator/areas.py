"""Areas in the plan: labels that others put on later, and stack traces that end in the library.

Drawn by a stream of its own, so that all else stays as it is.
"""

from pathlib import PurePosixPath
from random import Random

from perf_assets.stand_ins.generator.model import Event, Issue, is_bot, person
from perf_assets.stand_ins.generator.planner import HOUR, Plan

LABEL_AREAS = {
    "module: nn": "nn",
    "module: data": "data",
    "module: jit": "jit",
    "module: Sparse": "sparse",
    "OS: windows": "windows",
}
"""The labels that name areas, and the area of each by the study file that is written."""

NAMED_DIRECTORY, NAMED_AREA = "src/tensorkit/io/", "input and output"
"""What the study file calls by another name than its directory."""

STUDY = (
    "\n[repositories.areas]\n"
    'labels = { "module: *" = "*", "OS: *" = "*" }\n'
    f'files = {{ "/{NAMED_DIRECTORY}" = "{NAMED_AREA}" }}\n'
)
TRIAGE_LABELS = ("module: jit", "module: Sparse", "triaged")
TRIAGED_SHARE, TRACED_SHARE = 0.3, 0.15
TRACED_DIRECTORIES = ("core", "nn", "optim", "io", "export", "jit", "dist", "vision")

# The file is in the innermost frame of the library; around it are a script and other packages.
INSTALLED = (
    '```\nTraceback (most recent call last):\n  File "/home/user/train.py", line {line}, in main\n'
    '  File "/usr/lib/python3.8/site-packages/tensorkit/core/base.py", line 7, in call\n'
    '  File "/usr/lib/python3.8/site-packages/{module}", line {line}, in step\n'
    '  File "/usr/lib/python3.8/site-packages/numpy/core/numeric.py", line 93, in ones\n'
    "ValueError: expected a scalar\n```"
)
CHECKED_OUT = (
    '```\nTraceback (most recent call last):\n  File "train.py", line {line}, in <module>\n'
    '  File "/home/user/git/tensorkit/{path}", line {line}, in step\n'
    "ValueError: expected a scalar\n```"
)
NOTEBOOK = (
    "```\nValueError                 Traceback (most recent call last)\n"
    "<ipython-input-{line}> in <module>\n"
    "/opt/conda/lib/python3.8/site-packages/{module} in step(self, value)\n"
    "     {line}     raise ValueError(value)\n```"
)
FORMS = (INSTALLED, CHECKED_OUT, NOTEBOOK)


def plan_areas(plan: Plan, seed: int) -> None:
    """Let others label some of the usual issues, and some of them have a stack trace."""
    rng = Random(f"areas of {seed}")
    trapped = {id(issue) for trap in plan.traps.values() for issue in trap.issues}
    for issue in plan.issues:
        if id(issue) in trapped:
            continue
        if rng.random() < TRIAGED_SHARE:
            _triage(plan, issue, rng)
        if rng.random() < TRACED_SHARE:
            _trace(issue, rng)


def _triage(plan: Plan, issue: Issue, rng: Random) -> None:
    label = rng.choice(TRIAGE_LABELS)
    if label in issue.marks:
        return
    actor = rng.choice([login for login in plan.logins if login != issue.author])
    at = issue.created + int(rng.lognormvariate(0, 1.2) * 20 * HOUR) + 1
    issue.labels.append(label)
    issue.marks[label] = ""
    issue.events.append(Event("labeled", min(at, plan.calendar.end - 1), actor, label=label))


def _trace(issue: Issue, rng: Random) -> None:
    path = f"src/tensorkit/{rng.choice(TRACED_DIRECTORIES)}/base.py"
    trace = rng.choice(FORMS).format(
        line=rng.randint(3, 400), path=path, module=path.removeprefix("src/")
    )
    issue.body = f"{issue.body or ''}\n\n{trace}".strip()
    issue.traced_file = path


def triaged_after(issue: Issue) -> float | None:
    """Return the hours from the opening to the first label by a person other than the author."""
    author = person(issue.author)
    times = [
        event.at
        for event in issue.events
        if event.kind == "labeled"
        and person(event.actor) not in (None, author)
        and not is_bot(event.actor)
    ]
    return (min(times) - issue.created) / HOUR if times else None


def area_of_file(path: str) -> str:
    """Return the area of a file of the planned history, by the study file that is written."""
    if path.startswith(NAMED_DIRECTORY):
        return NAMED_AREA
    folders = PurePosixPath(path).parts[:-1]
    return "/".join(folders[: 3 if folders[:2] == ("src", "tensorkit") else 1]) or "top level"
