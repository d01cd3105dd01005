"""Traps in what templates and tools put into issues, and in what only looks like it."""

from perf_assets.stand_ins.generator.planner import HOUR, LONG_MONTHS, Plan
from perf_assets.stand_ins.generator.text_traps import counted, text_trap
from perf_assets.stand_ins.generator.texts import (
    FIRST_FORM,
    REGRESSION_BOX,
    SLOWER_LINE,
    WORSE_LINE,
)

REPORT_LINE = "Filed with kitreport, response time of the service was within limits."
FIFTH_LINE = "> Reported by the nightly job after a drop in performance"
WINDOW_LINE = "Our dashboard turned red because of lower throughput overnight"
SAME_AUTHOR_LINE = "This comes from my nightly list of things with high latency"
SHORT_LINE = "So slow here"
FIELD = "What is the latency that you see:"


# Issue templates


def _template_month(plan: Plan) -> int:
    return plan.month(first=min(plan.calendar.template, plan.calendar.count - 1))


@text_trap(issues=3, needs_template=True, rank=1)
def template_text_is_not_the_author(plan: Plan) -> None:
    """Plant this case: questions of the template do not make a performance bug."""
    for _ in range(3):
        month = _template_month(plan)
        plan.issue(month, body=plan.templated(month))


@text_trap(needs_template=True, rank=1)
def performance_bug_in_template(plan: Plan) -> None:
    """Plant this case: the author's own words within the template count."""
    month = _template_month(plan)
    words = plan.texts.keyword_sentence("performance regression")
    counted(plan.issue(month, body=plan.templated(month, words)), "performance regression")


@text_trap(needs_template=True, rank=1)
def keyword_behind_template_field(plan: Plan) -> None:
    """Plant this case: only the field of "Memory usage: ..." is boilerplate."""
    month = _template_month(plan)
    memory = f"grows without end, a memory leak in {plan.texts.token()}"
    counted(plan.issue(month, body=plan.templated(month, memory=memory)), "memory leak")


@text_trap(needs_template=True)
def same_keyword_in_template_field_and_behind_it(plan: Plan) -> None:
    """Plant this case: the field says memory usage, and so does the author."""
    month = _template_month(plan)
    memory = f"the memory usage doubles in {plan.texts.token()}"
    counted(plan.issue(month, body=plan.templated(month, memory=memory)), "memory usage")


@text_trap(needs_template=True, rank=1)
def template_with_crlf(plan: Plan) -> None:
    """Plant this case: bodies written in a browser end their lines with CRLF."""
    month = _template_month(plan)
    plan.issue(month, body=plan.templated(month).replace("\n", "\r\n"))


@text_trap(issues=2, needs_template=True, rank=1)
def ticked_checkbox(plan: Plan) -> None:
    """Plant this case: a box that the author ticked is the author's statement."""
    for tick in ("[x]", "[X]"):
        month = _template_month(plan)
        ticked = REGRESSION_BOX.replace("[ ]", tick)
        body = plan.templated(month).replace(REGRESSION_BOX, ticked)
        counted(plan.issue(month, body=body), "performance regression")


@text_trap(needs_template=True)
def template_line_in_other_dress(plan: Plan) -> None:
    """Plant this case: the template's line in bold, quoted, or with another bullet or space."""
    month = _template_month(plan)
    line = SLOWER_LINE.removeprefix("- ")
    dresses = (f"**{line}**", f"> {line}", f"* {line.upper()}", f"### {line.replace(' ', '  ')}")
    plan.issue(month, body="\n".join((*dresses, plan.texts.paragraph())))


@text_trap(months=4, needs_template=True, rank=1)
def template_line_before_the_template(plan: Plan) -> None:
    """Plant this case: a line that was written before it was in a template counts."""
    month = plan.calendar.template - 1
    counted(plan.issue(month, body=f"{SLOWER_LINE}\n\n{plan.texts.paragraph()}"), "slower")


@text_trap(needs_template=True, months=4)
def template_line_earlier_in_the_month_of_the_template(plan: Plan) -> None:
    """Plant this case: the month decides, not the minute."""
    created = plan.calendar.starts[plan.calendar.template] + HOUR // 2
    plan.issue(created=created, body=f"{SLOWER_LINE}\n\n{plan.texts.paragraph()}")


@text_trap(issues=2, months=LONG_MONTHS, needs_template=True)
def template_that_changed(plan: Plan) -> None:
    """Plant this case: lines are boilerplate from the month of their template on."""
    second = plan.calendar.second_template
    assert second is not None
    plan.issue(plan.calendar.count - 1, body=f"{SLOWER_LINE}\n{plan.texts.paragraph()}")
    early = plan.issue(second - 1, body=f"{WORSE_LINE}\n\n{plan.texts.paragraph()}")
    counted(early, "worse performance")


@text_trap(needs_template=True)
def template_left_empty(plan: Plan) -> None:
    """Plant this case: a body that is only the template."""
    plan.issue(_template_month(plan), body=FIRST_FORM)


# Lines that many authors share without a template


@text_trap(issues=9, rank=1)
def line_repeated_by_a_tool(plan: Plan) -> None:
    """Plant this case: a tool puts a line into the issues of five authors and more, from its
    first month on.
    """
    first = plan.calendar.count // 2
    authors = plan.people(7)
    for author in (*authors[:5], None):
        plan.issue(first, author=author, body=f"{plan.texts.prose()}\n\n{REPORT_LINE}")
    for index in range(3):
        later = plan.month(first)
        later = min(later, first + 11)
        if later == plan.calendar.quiet_for_issues:
            later = first
        body = f"{plan.texts.prose()}\n\n{REPORT_LINE}"
        issue = plan.issue(later, author=authors[4 + index], body=body)
        if index == 2:
            plan.say(issue, "degradation", "body")


@text_trap(issues=6, months=8)
def line_repeated_by_a_fifth_author(plan: Plan) -> None:
    """Plant this case: a line is boilerplate from its fifth author on, deleted ones included."""
    first, second = plan.people(2)
    early, next_one, _, late = plan.calendar.busy[-4:]
    for month, author in ((early, first), (early, None), (next_one, None), (next_one, second)):
        issue = plan.issue(month, author=author, body=f"{FIFTH_LINE}\n\n{plan.texts.paragraph()}")
        counted(issue, "drop in performance")
    fifth = plan.people(1, (first, second))[0]
    for author in (fifth, first):
        plan.issue(late, author=author, body=f"{FIFTH_LINE}\n\n{plan.texts.paragraph()}")


@text_trap(issues=5, months=15)
def line_repeated_outside_the_window(plan: Plan) -> None:
    """Plant this case: the fifth author comes twelve months later: no twelve months hold all
    five.
    """
    late = plan.calendar.count - 1
    early = max(month for month in plan.calendar.busy if month <= late - 12)
    for index, author in enumerate(plan.people(5)):
        month = late if index == 4 else early
        issue = plan.issue(month, author=author, body=f"{WINDOW_LINE}\n\n{plan.texts.paragraph()}")
        counted(issue, "throughput")


@text_trap(issues=6)
def line_repeated_by_one_author(plan: Plan) -> None:
    """Plant this case: one person writes the same line six times, which is not boilerplate."""
    author = plan.people(1)[0]
    for _ in range(6):
        month = plan.month(first=plan.calendar.count // 2)
        issue = plan.issue(
            month, author=author, body=f"{SAME_AUTHOR_LINE}\n{plan.texts.paragraph()}"
        )
        counted(issue, "latency")


@text_trap(issues=6)
def short_line_repeated(plan: Plan) -> None:
    """Plant this case: three words that six people write are not boilerplate."""
    month = plan.month(first=plan.calendar.count // 2)
    for author in plan.people(6):
        issue = plan.issue(month, author=author, body=f"{plan.texts.paragraph()}\n\n{SHORT_LINE}")
        counted(issue, "slow")


@text_trap(issues=6)
def field_repeated_by_a_tool(plan: Plan) -> None:
    """Plant this case: a form field that six people filled in, each in another way; one of them
    means it.
    """
    month = plan.month()
    for index, author in enumerate(plan.people(6)):
        answer = f"{3 + index} ms in {plan.texts.token()}"
        body = f"{FIELD} {answer}\n{plan.texts.paragraph()}"
        issue = plan.issue(month, author=author, body=body)
        if index == 5:
            issue.body = f"{FIELD} {answer}, slower than ever\n"
            counted(issue, "slower")
