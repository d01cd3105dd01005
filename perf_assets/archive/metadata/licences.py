"""``LICENSES.md``: under which terms each part of an archive stands, as a note."""

from perf_assets.archive.description import Description
from perf_assets.archive.metadata.citation import PAPERS
from perf_assets.base.sanitize import for_markdown

ISSUES = ("raw.issues", "raw.issue_comments", "raw.issue_events", "raw.issue_pull_requests")
QUESTIONS = ("raw.questions", "raw.answers", "raw.question_comments")
COMMITS = ("raw.commits", "raw.commit_files")
POLICIES = (
    "https://docs.github.com/site-policy/acceptable-use-policies/github-acceptable-use-policies"
)


def licences(description: Description) -> str:
    """Return the text of ``LICENSES.md``, which speaks of the parts that the archive has."""
    parts = [
        _issues(description),
        _questions(description),
        _commits(description),
        _replication(description),
        _results(),
        _software(description),
    ]
    return "\n\n".join([_beginning(description), *filter(None, parts)]) + "\n"


def _beginning(description: Description) -> str:
    return f"""# Terms of {for_markdown(description.title)}

This archive has parts by different people, under different terms. This page is a note by the
program that made the archive, for those who publish or use it: **no legal advice**, and no
licence for what is somebody else's. Where it differs from the terms of a source, those count."""


def _issues(description: Description) -> str | None:
    if not description.has_rows(*ISSUES):
        return None
    texts = (
        "Titles, texts and comments belong to the people who wrote them. They published them for "
        "users of GitHub to read; that they are public is not a licence to republish them, so "
        "quote them with a link to the issue, and no more of them than the research needs."
        if description.has_texts
        else "Titles and bodies are not in this archive."
    )
    accounts = (
        "Accounts are pseudonyms here. Do not try to find out whose they are."
        if description.is_pseudonymised
        else "Names of accounts are personal data. Those who keep a copy answer for them: keep "
        "them safe, use them for nothing but the research, and take out those who ask for it."
    )
    return f"""## Issues, their events and comments (`raw.issue*` and what is made of them)

Read from GitHub's API. [GitHub's acceptable use policies]({POLICIES}),
sections 7 and 8, say what for: research with public information that is not personal, where its
publications are open access; archives; and neither spam nor the sale of personal data. Requests for
removal are to be answered promptly.

{texts}

{accounts}"""


def _questions(description: Description) -> str | None:
    if not description.has_rows(*QUESTIONS):
        return None
    return """## Questions, answers and comments of forums (`raw.question*`, `raw.answers`)

Of sites of Stack Exchange: by their authors, under
[CC BY-SA](https://stackoverflow.com/help/licensing): version 4.0 for what was written since 2 May
2018, 3.0 for what was written since 8 April 2011, and 2.5 before. Name the site, link to the
question by its `html_url`, and name its author with a link to the profile, as the page of the
question has them. What you make of the texts and publish stands under the same licence.

Of forums of Discourse: by their authors, under the terms of each forum, which are at `/tos` of its
address. Of discussions of GitHub: as of issues."""


def _commits(description: Description) -> str | None:
    if not description.has_rows(*COMMITS):
        return None
    people = (
        "Their authors are pseudonyms here."
        if description.is_pseudonymised
        else "The names of their authors are personal data: use them for nothing but the research."
    )
    return f"""## Commits and lines of code (`raw.commit*`, `raw.static_findings`, `details.*`)

Messages, paths and single lines of code are parts of their repository, and stand under its licence:
see the file LICENSE or COPYING of each repository that README.md names. {people}"""


def _replication(description: Description) -> str | None:
    if not description.has_replication:
        return None
    packages = "\n".join(
        f"- {for_markdown(paper.citation)} Data: <{paper.data}>; "
        + (
            f"licence {paper.data_licence}."
            if paper.data_licence
            else "no licence is known to this program: look there, or ask the authors."
        )
        for paper in PAPERS
        if paper.data is not None
    )
    return f"""## Published data of the papers (`replication.*`)

By the authors of the papers, under the terms of their packages. Cite them where you use these rows.

{packages}"""


def _results() -> str:
    return """## Results: labels, links, models, statistics, report, and verdicts of people

Made by those who ran the study. So far as they have rights in them, they may be used under
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), cited as CITATION.cff says; those who
publish the archive may choose other terms, and say so here. What these tables repeat of a source,
a title for one, stays under the terms of that source."""


def _software(description: Description) -> str | None:
    if not any(file.path.startswith(("software/", "rules/")) for file in description.files):
        return None
    return """## Software and rules (`software/`, `rules/`)

perf-assets, with its SQL models and rules, stands under the MIT licence; the wheel has its text.
What `software/requirements.lock` names is not in here, and has licences of its own."""
