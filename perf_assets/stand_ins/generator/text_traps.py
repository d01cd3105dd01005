"""Traps in what issues say: keywords and labels that must not count, and those that must."""

from functools import partial

from perf_assets.stand_ins.generator.keywords import KEYWORDS
from perf_assets.stand_ins.generator.model import Issue
from perf_assets.stand_ins.generator.planner import DAY, HOUR, Plan
from perf_assets.stand_ins.generator.texts import implied
from perf_assets.stand_ins.generator.traps import trap

text_trap = partial(trap, has_usual_life=True)


def counted(issue: Issue, *keywords: str) -> None:
    """Record that ``keywords`` count in the body of the issue."""
    for keyword in keywords:
        issue.keywords |= implied(keyword)
    issue.parts |= {"body"}


# Code and hidden text


@text_trap(rank=1)
def keyword_in_backtick_fence(plan: Plan) -> None:
    """Plant this case: fenced code is not text."""
    plan.issue(body=f"{plan.texts.paragraph()}\n\n```python\nprint('slow path')\n```\n\nThanks!")


@text_trap()
def keyword_in_tilde_fence(plan: Plan) -> None:
    """Plant this case: tildes fence code too."""
    plan.issue(body=f"~~~\nmemory leak at 0x7f\n~~~\n{plan.texts.paragraph()}")


@text_trap(rank=1)
def keyword_in_unclosed_fence(plan: Plan) -> None:
    """Plant this case: a fence that nobody closes runs to the end."""
    plan.issue(body=f"{plan.texts.paragraph()}\n\n```\nlatency 3 ms\n\nGPU usage 40 %\n")


@text_trap()
def backticks_inside_tilde_fence(plan: Plan) -> None:
    """Plant this case: backticks within a fence of tildes neither open nor close a fence."""
    plan.issue(body=f"~~~\n```\nslower than before\n~~~\n\n{plan.texts.paragraph()}")


@text_trap()
def short_fence_inside_long_fence(plan: Plan) -> None:
    """Plant this case: a fence of four backticks is not closed by three."""
    plan.issue(body=f"````md\n```\nslowdown\n```\nslow\n````\n{plan.texts.paragraph()}")


@text_trap()
def keyword_after_closed_fence(plan: Plan) -> None:
    """Plant this case: text behind a closed fence is text again."""
    issue = plan.issue(body=f"```\nx = 1\n```\n\n{plan.texts.keyword_sentence('slowdown')}")
    counted(issue, "slowdown")


@text_trap()
def keyword_in_inline_code(plan: Plan) -> None:
    """Plant this case: only fenced code is left out; inline code is read."""
    issue = plan.issue(body=f"In {plan.texts.token()} `throughput` is half of what it was.")
    counted(issue, "throughput")


@text_trap(issues=2, rank=1)
def keyword_in_html_comment(plan: Plan) -> None:
    """Plant this case: HTML comments, on one line or on several, are not text."""
    plan.issue(body=f"<!-- is it slow? -->\n{plan.texts.paragraph()}")
    plan.issue(body=f"{plan.texts.paragraph()}\n<!--\nmemory leak:\nmemory usage:\n-->\nBye.")


@text_trap(issues=2, rank=1)
def keyword_in_comments_only(plan: Plan) -> None:
    """Plant this case: words in comments do not label the issue."""
    for body in ("This is so slow!", "Looks like a memory leak, a real performance bug."):
        issue = plan.issue()
        plan.comment(issue, plan.login(), issue.created + HOUR, body)


# Keywords that count


@text_trap(issues=3, rank=1)
def keyword_in_title_or_body(plan: Plan) -> None:
    """Plant this case: keywords in the title only, in the body only, in both."""
    plan.say(plan.issue(), "memory leak", "title")
    plan.say(plan.issue(), "regression in performance", "body")
    plan.say(plan.issue(), "slowdown", "title", "body")


@text_trap()
def different_keywords_in_title_and_body(plan: Plan) -> None:
    """Plant this case: the keywords of title and body are reported together."""
    issue = plan.say(plan.issue(), "latency", "title")
    plan.say(issue, "performance drop", "body")


@text_trap(issues=2, rank=1)
def keyword_in_upper_case(plan: Plan) -> None:
    """Plant this case: case does not matter."""
    issue = plan.say(plan.issue(), "memory usage", "title")
    issue.title = issue.title.upper()
    shouted = plan.issue(body=f"Training is LAGGY and SLOWER in {plan.texts.token()}!!!")
    counted(shouted, "laggy", "slower")


@text_trap()
def keyword_inside_a_longer_word(plan: Plan) -> None:
    """Plant this case: a keyword is a substring: slowly and latency-bound count."""
    issue = plan.issue(body=f"It starts slowly in {plan.texts.token()}, as if latency-bound.")
    counted(issue, "slow", "latency")


@text_trap()
def keyword_broken_over_two_lines(plan: Plan) -> None:
    """Plant this case: a line break inside a keyword is not a space."""
    plan.issue(
        body="I first thought of a memory\nleak, but the numbers of the cpu\nusage are fine."
    )


@text_trap()
def every_keyword_at_once(plan: Plan) -> None:
    """Plant this case: one issue with all 29 keywords."""
    issue = plan.issue()
    for keyword in KEYWORDS:
        plan.say(issue, keyword, "body")


@text_trap()
def empty_body_and_keyword_in_title(plan: Plan) -> None:
    """Plant this case: a performance bug without a body."""
    issue = plan.issue(body="")
    issue.body = None
    plan.say(issue, "bad performance", "title")


# Labels


@text_trap(rank=1)
def performance_label_without_keyword(plan: Plan) -> None:
    """Plant this case: the label alone decides."""
    plan.label(plan.issue(), "module: performance", marks="performance")


@text_trap(issues=3)
def performance_label_spelt_otherwise(plan: Plan) -> None:
    """Plant this case: case and spaces do not matter, and the entry is a part of the label."""
    for name in ("Module:Performance", "PERFORM ANCE", "high performance computing"):
        plan.label(plan.issue(), name, marks="performance")


@text_trap(rank=1)
def performance_label_on_enhancement(plan: Plan) -> None:
    """Plant this case: an enhancement is not a bug report, whatever else it is called."""
    issue = plan.label(plan.issue(), "module: performance", marks="performance")
    plan.label(issue, "enhancement", marks="other")


@text_trap(issues=4, rank=1)
def keyword_in_issue_that_is_no_bug_report(plan: Plan) -> None:
    """Plant this case: feature requests and questions may say slow."""
    for name in ("feature", "Enhancement", "question", "documentation"):
        plan.label(plan.say(plan.issue(), "slow", "title", "body"), name, marks="other")


@text_trap(issues=2)
def non_bug_label_beside_bug_label(plan: Plan) -> None:
    """Plant this case: one label of another kind is enough; docs is not documentation."""
    plan.label(plan.label(plan.issue(), "bug"), "type: Feature Request", marks="other")
    plan.label(plan.say(plan.issue(), "response time", "body"), "docs", "bug")


@text_trap(issues=2)
def label_that_was_taken_away(plan: Plan) -> None:
    """Plant this case: only the labels at the end of each month count."""
    for name, mark in (("module: performance", "performance"), ("enhancement", "other")):
        issue = plan.issue(plan.month(room=1))
        plan.label(issue, name)
        issue.marks[name] = mark
        issue.labels.remove(name)
        plan.unlabel(issue, name, issue.events[-1].at + HOUR)


# Shapes of text


@text_trap(issues=2, rank=1)
def empty_body(plan: Plan) -> None:
    """Plant this case: no body, and an empty one."""
    plan.issue(body="")
    plan.issue(body="").body = None


@text_trap(issues=5)
def unusual_text(plan: Plan) -> None:
    """Plant this case: scripts, emoji, CRLF, a long body, headings, odd line separators."""
    plan.issue(
        body="Größe falsch 🐌\n\nФорма тензора неверна. 形状が違います。 𝒯 \u202eabc\u202c é\u200d"
    ).title = "🔥 NaN 出力"
    plan.issue(body=f"{plan.texts.paragraph()}\r\n\r\n{plan.texts.paragraph()}\r\n")
    long = "\n".join(f"{line}: {plan.texts.paragraph()}" for line in range(400))
    plan.issue(body=long[:60_000])
    plan.issue(body=f"# Setup\n\n{plan.texts.paragraph()}\n\n## Steps\n\n#### Notes\n#tag\n")
    plan.issue(body=f"one\u2028two\u2029three\x0bfour\x85five\t{plan.texts.paragraph()}")


@text_trap(issues=0)
def keyword_in_pull_request_title(plan: Plan) -> None:
    """Plant this case: a pull request is not an issue."""
    at = plan.moment(plan.month())
    plan.pull(at, title="Make the slow path faster, a memory leak less")


@text_trap(issues=2, rank=1)
def created_at_the_border_of_a_month(plan: Plan) -> None:
    """Plant this case: the first and the last second of a month."""
    starts = plan.calendar.starts
    month = plan.month(first=min(1, plan.calendar.count - 1), room=1)
    plan.say(plan.issue(created=max(starts[month], starts[0] + DAY)), "slow", "title")
    plan.say(plan.issue(created=starts[month + 1] - 1), "slow", "title")
