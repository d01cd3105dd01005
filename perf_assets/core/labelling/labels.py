"""Labelling: which issues are bug reports, which of them performance bugs, and why."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import polars as pl

from perf_assets.core.labelling.boilerplate import Boilerplate, Line, read_bodies
from perf_assets.core.labelling.classifier.boilerplate import without_boilerplate
from perf_assets.core.labelling.rule_sets import (
    PAPER,
    PERFORMANCE_2026,
    evidence_by_place,
    version_of_words,
)
from perf_assets.core.labelling.strength import (
    STRONG_KEYWORDS,
    WEAK_KEYWORDS,
    WIDENED_KEYWORDS,
    strength_of,
)
from perf_assets.core.labelling.vocabulary import COUNTED_KINDS
from perf_assets.schema import schema_of
from perf_assets.schema.types import TEXTS

# The rules by which evidence is found; IGNORED_KEYWORD and IGNORED_LINE say what did not count.
PERFORMANCE_LABEL = "performance_label"
NON_BUG_LABEL = "non_bug_label"
KEYWORD = "keyword"
IGNORED_KEYWORD = "ignored_keyword"
IGNORED_LINE = "ignored_line"
SPAM = "spam"
# A kind of bug beside a slash. Prefixes, as in ``area/performance``, are none.
OTHER_BUG = re.compile(r"(?<![a-z])(bugs?|crash(es)?)/|/(bugs?|crash(es)?)(?![a-z])")


@dataclass(frozen=True)
class Rules:
    """The entries of a study by which issues are labelled, all matched without case.

    strong_keywords, weak_keywords : those of the keywords by which a label is stronger or weaker;
        whether it counts is the same.
    widened_keywords : words of titles by which the results are tried again, and which do not count.
    rule_set : ``paper`` or ``performance-2026``; the latter has evidence by place beside keywords.
    counted_kinds : of ``performance-2026`` and the classifier, the kinds that count.
    """

    performance_labels: tuple[str, ...]
    non_bug_labels: tuple[str, ...]
    keywords: tuple[str, ...]
    strong_keywords: tuple[str, ...] = STRONG_KEYWORDS
    weak_keywords: tuple[str, ...] = WEAK_KEYWORDS
    widened_keywords: tuple[str, ...] = WIDENED_KEYWORDS
    rule_set: str = PAPER
    counted_kinds: tuple[str, ...] = COUNTED_KINDS

    @cached_property
    def version(self) -> str:
        """Return a digest of the entries, e.g. ``3f2a9c0b``."""
        entries: list[Sequence[str]] = [
            sorted(self.performance_labels),
            sorted(self.non_bug_labels),
            self.keywords,
            sorted(self.strong_keywords),
            sorted(self.weak_keywords),
            sorted(self.widened_keywords),
        ]
        if self.rule_set == PERFORMANCE_2026:
            entries += [[self.rule_set, version_of_words()], sorted(self.counted_kinds)]
        digest = hashlib.sha256(json.dumps(entries).encode()).hexdigest()
        return digest[:8]


def matching_labels(labels: Iterable[str], entries: Iterable[str]) -> list[str]:
    """Return the ``labels`` that contain one of ``entries``, ignoring case and white space.

    A label that joins another kind of bug by a slash, such as ``type:bug/performance``, marks
    either of the two. Only an entry that is the whole label matches it.
    """
    squeezed = [_squeezed(entry) for entry in entries]
    return sorted({label for label in labels if _matches(_squeezed(label), squeezed)})


def _matches(label: str, entries: Sequence[str]) -> bool:
    if OTHER_BUG.search(label):
        return label in entries
    return any(entry in label for entry in entries)


def matching_keywords(text: str, keywords: Iterable[str]) -> list[str]:
    """Return the ``keywords`` that are substrings of ``text``, without regard to case, sorted."""
    folded = text.casefold()
    return sorted({keyword for keyword, part in _folded(tuple(keywords)) if part in folded})


@cache
def _folded(keywords: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return each keyword, and it without case."""
    return [(keyword, keyword.casefold()) for keyword in keywords]


def label_kinds(labels: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """Return what each label means, by itself.

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


def label_issues(
    issues: pl.DataFrame,
    templates: pl.DataFrame,
    rules: Rules,
    forms: pl.DataFrame | None = None,
    plain: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the label of each issue, and the evidence it follows from.

    A label depends on issues and templates up to its own month, never on what comes later.

    Parameters
    ----------
    issues : columns repository, number, title, body, author, labels, month, and where they are
        known issue_type and lock_reason: all cohorts up to the last one requested. The decision on
        an issue depends on cohorts up to its own month only. Its type counts as a label does, and
        what was locked as spam is not a bug report.
    templates : columns sha, path, committed_at, body, month: versions of the repository's issue
        templates (may be empty).
    rules : the study's entries.
    forms : ``labels.report_forms`` of the issues, where they are known.
    plain : the issues without their boilerplate, where the caller has them.

    Returns
    -------
    ``labels.performance_labels``, one row per issue, and ``labels.label_evidence``, one row for
    each label and keyword that was found, both in the order of ``number``.
    """

    def is_relevant(text: str) -> bool:
        return bool(matching_keywords(text, rules.keywords))

    boilerplate, bodies = read_bodies(issues, templates, is_relevant, is_relevant)
    ordered = issues.sort("number")
    of_sets: dict[int, list[tuple[str, str, str]]] = {}
    if rules.rule_set == PERFORMANCE_2026:
        read = without_boilerplate(issues, templates) if plain is None else plain
        of_sets = _evidence_of_set(read, rules, forms)
    evidence = pl.DataFrame(
        [
            (issue["repository"], issue["number"], *found, issue["month"])
            for issue in ordered.iter_rows(named=True)
            for found in dict.fromkeys(
                [
                    *_evidence(issue, bodies[issue["number"]], boilerplate, rules),
                    *of_sets.get(issue["number"], ()),
                ]
            )
        ],
        schema=schema_of("labels.label_evidence"),
        orient="row",
    )
    return _decided(ordered, evidence, rules), evidence


def _evidence_of_set(
    plain: pl.DataFrame, rules: Rules, forms: pl.DataFrame | None
) -> dict[int, list[tuple[str, str, str]]]:
    """Return rule, field and match of what ``performance-2026`` finds in each issue."""
    used = {} if forms is None else {row["number"]: row for row in forms.iter_rows(named=True)}
    return {
        number: [
            (KEYWORD if counts else IGNORED_KEYWORD, place, match)
            for place, match, counts in evidence_by_place(
                title, body, used.get(number), rules.counted_kinds
            )
        ]
        for number, title, body in plain.select("number", "title", "body").iter_rows()
    }


def _evidence(
    issue: dict[str, Any], lines: Sequence[Line], boilerplate: Boilerplate, rules: Rules
) -> Iterator[tuple[str, str, str]]:
    """Rule, field and match of everything that speaks for a label, or would but for where it is."""
    for rule, entries in (
        (PERFORMANCE_LABEL, rules.performance_labels),
        (NON_BUG_LABEL, rules.non_bug_labels),
    ):
        for label in matching_labels(issue["labels"], entries):
            yield rule, "labels", label
        for kind in matching_labels(filter(None, [issue.get("issue_type")]), entries):
            yield rule, "issue_type", kind
    if issue.get("lock_reason") == SPAM:
        yield SPAM, "lock_reason", SPAM
    kept: list[str] = []
    ignored: list[str] = []
    for line in lines:
        text, reason = boilerplate.strip(line, str(issue["month"]))
        kept.append(text)
        if reason is not None:
            ignored.append(f"{line.text.strip()} ({reason})")
    found: set[str] = set()
    for field, text in (("title", str(issue["title"])), ("body", "\n".join(kept))):
        for keyword in matching_keywords(text, rules.keywords):
            found.add(keyword)
            yield KEYWORD, field, keyword
    for keyword in matching_keywords(str(issue["body"] or ""), rules.keywords):
        if keyword not in found:
            yield IGNORED_KEYWORD, "body", keyword
    for remark in dict.fromkeys(ignored):
        yield IGNORED_LINE, "body", remark


def _decided(issues: pl.DataFrame, evidence: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """Return what the evidence makes of the issues."""

    def matches(rule: str) -> pl.Expr:
        return pl.col("match").filter(pl.col("rule") == rule)

    found = evidence.group_by("number", maintain_order=True).agg(
        matched_labels=matches(PERFORMANCE_LABEL).unique().sort(),
        matched_keywords=matches(KEYWORD).unique().sort(),
        matched_in=pl.col("field").filter(pl.col("rule") == KEYWORD).unique(maintain_order=True),
        non_bug_labels=matches(NON_BUG_LABEL).unique().sort(),
        not_a_bug_by=_not_a_bug_by(),
        ignored_keywords=matches(IGNORED_KEYWORD),
        ignored_lines=matches(IGNORED_LINE),
    )
    lists = [name for name, kind in found.schema.items() if kind == TEXTS]
    strength = strength_of(evidence, rules.strong_keywords, rules.weak_keywords)
    titles = pl.col("title").map_elements(
        lambda title: matching_keywords(title, rules.widened_keywords), return_dtype=TEXTS
    )
    has_sign = (pl.col("matched_labels").list.len() + pl.col("matched_keywords").list.len()) > 0
    is_bug_report = pl.col("not_a_bug_by").is_null()
    return (
        issues.join(found, on="number", how="left", maintain_order="left")
        .join(strength, on="number", how="left", maintain_order="left")
        .with_columns(pl.col(lists).fill_null(pl.lit([], dtype=TEXTS)))
        .with_columns(
            is_bug_report=is_bug_report,
            is_performance=is_bug_report & has_sign,
            strength=pl.when(is_bug_report).then("strength"),
            widened_keywords=titles,
            rule_version=pl.lit(rules.version),
        )
        .select(
            pl.col(name).cast(kind) for name, kind in schema_of("labels.performance_labels").items()
        )
    )


def _not_a_bug_by() -> pl.Expr:
    """Return what says first that an issue is not a bug report: spam, its type, or its labels."""
    is_non_bug = pl.col("rule") == NON_BUG_LABEL
    return (
        pl.when((pl.col("rule") == SPAM).any())
        .then(pl.lit(SPAM))
        .when((is_non_bug & (pl.col("field") == "issue_type")).any())
        .then(pl.lit("issue_type"))
        .when(is_non_bug.any())
        .then(pl.lit("label"))
    )


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()
