"""Labelling: which issues are bug reports, which of them performance bugs, and why."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from perf_assets.core.labelling.boilerplate import Boilerplate, Line
from perf_assets.core.markdown import is_ticked, visible_lines
from perf_assets.tables import schema_of

# Raised whenever this code decides differently for the same entries.
REVISION = 1


@dataclass(frozen=True)
class Rules:
    """The entries of a study by which issues are labelled, all matched without case."""

    performance_labels: tuple[str, ...]
    non_bug_labels: tuple[str, ...]
    keywords: tuple[str, ...]

    @cached_property
    def version(self) -> str:
        """Revision of the labelling code and a digest of the entries, e.g. ``1-3f2a9c0b``."""
        entries = [sorted(self.performance_labels), sorted(self.non_bug_labels), self.keywords]
        digest = hashlib.sha256(json.dumps(entries).encode()).hexdigest()
        return f"{REVISION}-{digest[:8]}"


def matching_labels(labels: Iterable[str], entries: Iterable[str]) -> list[str]:
    """The ``labels`` that contain one of ``entries``, without regard to case and white space."""
    wanted = [_squeezed(entry) for entry in entries]
    return sorted({label for label in labels if any(entry in _squeezed(label) for entry in wanted)})


def matching_keywords(text: str, keywords: Iterable[str]) -> list[str]:
    """The ``keywords`` that are substrings of ``text``, without regard to case, sorted."""
    folded = text.casefold()
    return sorted({keyword for keyword in keywords if keyword.casefold() in folded})


def label_kinds(labels: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """What each label means, by itself.

    Parameters
    ----------
    labels : columns repository, label: every label that issues carry or carried, each once.
    rules : the study's entries.

    Returns
    -------
    A row per label, columns as ``labels.label_kinds``.
    """
    rows = [
        {
            "repository": repository,
            "label": label,
            "is_performance": bool(matching_labels([label], rules.performance_labels)),
            "is_non_bug": bool(matching_labels([label], rules.non_bug_labels)),
            "rule_version": rules.version,
        }
        for repository, label in labels.select("repository", "label").iter_rows()
    ]
    return pl.DataFrame(rows, schema=schema_of("labels.label_kinds"), orient="row")


def label_issues(issues: pl.DataFrame, templates: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """Label every issue of one repository.

    The rule (section III of the study, as far as its data confirm it): an issue is a bug report
    unless a label marks it as something else; a bug report is a performance bug when it has a
    performance label, or when its title or body contains a keyword. Of the body, fenced code, HTML
    comments and boilerplate lines are left out; comments are not read.

    Parameters
    ----------
    issues : columns repository, number, title, body, author, labels, month: all cohorts up to
        the last one wanted. The decision on an issue depends on cohorts up to its own month only.
    templates : columns sha, path, committed_at, body, month: versions of the repository's issue
        templates (may be empty).
    rules : the study's entries.

    Returns
    -------
    One row per issue, in the order of ``number``, columns as ``labels.performance_labels``.
    ``ignored_keywords`` stood only in text left out; ``ignored_lines`` names the boilerplate
    lines that held a keyword, each with its reason.
    """
    boilerplate = Boilerplate()
    for template in templates.sort("committed_at", "sha", "path").iter_rows(named=True):
        origin = f"{template['path']} at {template['sha'][:7]}"
        boilerplate.add_template(template["body"], template["month"], origin)
    bodies = {}
    for issue in issues.sort("month", "number").iter_rows(named=True):
        lines = _telling_lines(issue["body"] or "", rules.keywords)
        bodies[issue["number"]] = lines
        # A deleted account cannot be told from another: each such issue is a person of its own.
        author = issue["author"] or f"#{issue['number']}"
        boilerplate.add_issue(
            (line for line in lines if not is_ticked(line.text)), issue["month"], author
        )
    rows = [
        _label(issue, bodies[issue["number"]], boilerplate, rules)
        for issue in issues.sort("number").iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=schema_of("labels.performance_labels"), orient="row")


def _telling_lines(body: str, keywords: Sequence[str]) -> list[Line]:
    """The visible lines that hold a keyword: no other line can change a decision."""
    if not matching_keywords(body, keywords):
        return []
    return [Line.of(line) for line in visible_lines(body) if matching_keywords(line, keywords)]


def _label(
    issue: dict[str, object], lines: Sequence[Line], boilerplate: Boilerplate, rules: Rules
) -> dict[str, object]:
    labels = issue["labels"]
    assert isinstance(labels, list)
    kept: list[str] = []
    ignored_lines: list[str] = []
    for line in lines:
        text, reason = boilerplate.strip(line, str(issue["month"]))
        kept.append(text)
        if reason is not None:
            ignored_lines.append(f"{line.text.strip()} ({reason})")
    in_title = matching_keywords(str(issue["title"]), rules.keywords)
    in_body = matching_keywords("\n".join(kept), rules.keywords)
    keywords = sorted({*in_title, *in_body})
    anywhere = matching_keywords(str(issue["body"] or ""), rules.keywords)
    matched_labels = matching_labels(labels, rules.performance_labels)
    non_bug_labels = matching_labels(labels, rules.non_bug_labels)
    return {
        "repository": issue["repository"],
        "number": issue["number"],
        "is_bug_report": not non_bug_labels,
        "is_performance": not non_bug_labels and bool(matched_labels or keywords),
        "matched_labels": matched_labels,
        "matched_keywords": keywords,
        "matched_in": [place for place, found in (("title", in_title), ("body", in_body)) if found],
        "non_bug_labels": non_bug_labels,
        "ignored_keywords": sorted(set(anywhere) - set(keywords)),
        "ignored_lines": ignored_lines,
        "rule_version": rules.version,
        "month": issue["month"],
    }


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()
