"""A form for performance reports, which the repository gets in one month.

A plain commit brings the file, beside whatever else it does. Most of the later usual reports about
performance are written with it, in the words that were planned for them; what the rule by words
finds in them stays the same. All is drawn by a stream of its own, once everything else is planned.
"""

import re
from random import Random
from typing import Any

from perf_assets.stand_ins.generator.model import Issue
from perf_assets.stand_ins.generator.phrases import CAUSE_COMMIT
from perf_assets.stand_ins.generator.planner import Plan
from perf_assets.stand_ins.generator.texts import FIRST_FORM, SECOND_FORM
from perf_assets.stand_ins.generator.wording import plain_commits

FORM_SHARE = 0.8
"""Of the reports about performance that come after the first one written with the form."""

NOT_BEFORE = 0.6  # of the months
FEWEST_MONTHS = 15  # as for the traps: in fewer, no series has months enough before and after it

FORM_PATH, FORM_NAME = ".github/ISSUE_TEMPLATE/performance.yml", "Performance problem"
FORM_COMMIT = "Add a form for performance reports"
REPORT, SETUP, CHECKS = "Report of performance regression", "Your setup", "Before you submit"
SEARCHED = "I have searched the open reports"
FORM = f"""name: {FORM_NAME}
description: Something takes too long, or too much memory
body:
  - type: textarea
    id: report
    attributes:
      label: {REPORT}
      description: What did you run, and what did it cost before?
    validations:
      required: true
  - type: textarea
    id: setup
    attributes:
      label: {SETUP}
      description: Versions and hardware, as far as you know them
  - type: checkboxes
    id: checks
    attributes:
      label: {CHECKS}
      options:
        - label: {SEARCHED}
          required: true
"""

OF_SETUP = re.compile(r"- (Tensorkit version|Python version|OS|GPU): ")
OF_OLD_FORM = re.compile(r"(Version|Memory usage|CPU usage and GPU usage): ")
OLD_LINES = frozenset(f"{FIRST_FORM}{SECOND_FORM}".splitlines()) - {""}


def plant_form(plan: Plan, seed: int) -> None:
    """Let a commit bring the form shortly before the first report that is written with it.

    Traps stay as they are. A plan that is too short, or has no such commit, gets no form.
    """
    calendar = plan.calendar
    if calendar.count < FEWEST_MONTHS:
        return
    rng = Random(f"form of {seed}")
    trapped = {id(issue) for trap in plan.traps.values() for issue in trap.issues}
    begin = calendar.starts[int(NOT_BEFORE * calendar.count)]
    reports = sorted(
        (
            issue
            for issue in plan.issues
            if issue.is_about_performance
            and issue.created >= begin
            and issue.body
            and id(issue) not in trapped
        ),
        key=lambda issue: issue.created,
    )
    commits = [commit for commit in plain_commits(plan) if commit.message() != CAUSE_COMMIT]
    for index, first in enumerate(reports):
        month = calendar.starts[first.month]
        earlier = [commit for commit in commits if month <= commit.at < first.created]
        if not earlier:
            continue
        plan.form_commit = max(earlier, key=lambda commit: commit.at)
        plan.form_commit.message = lambda: FORM_COMMIT
        plan.form_commit.form = FORM_PATH, FORM
        later = [issue for issue in reports[index + 1 :] if rng.random() < FORM_SHARE]
        plan.form_reports = [first, *later]
        for issue in plan.form_reports:
            issue.body = _written(issue)
        return


def _written(issue: Issue) -> str:
    """Return the body as GitHub makes it of the form: the report's own words by field."""
    lines = [
        line
        for line in (issue.body or "").splitlines()
        if line not in OLD_LINES and not OF_OLD_FORM.match(line)
    ]
    text = "\n".join(line for line in lines if not OF_SETUP.match(line))
    words = re.sub(r"\n{3,}", "\n\n", text).strip()
    setup = "\n".join(line for line in lines if OF_SETUP.match(line)) or "_No response_"
    fields = ((REPORT, words), (SETUP, setup), (CHECKS, f"- [X] {SEARCHED}"))
    return "\n\n".join(f"### {label}\n\n{answer}" for label, answer in fields)


def planted_form(plan: Plan) -> dict[str, Any]:
    """Return the form, its commit and month, and the numbers of the reports written with it.

    Empty if there is no form.
    """
    commit = plan.form_commit
    if commit is None:
        return {}
    return {
        "path": FORM_PATH,
        "name": FORM_NAME,
        "month": plan.calendar.names[plan.calendar.month_of(commit.at)],
        "sha": commit.sha,
        "reports": sorted(issue.number for issue in plan.form_reports),
    }
