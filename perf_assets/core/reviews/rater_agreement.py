"""Where raters agree and where they do not: kappas over what they judged, and what to discuss."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import polars as pl

from perf_assets.core.analyses.group_samples import by_repository_and_pooled, groups_of
from perf_assets.core.statistics.agreement import Kappa, cohens_kappa, fleiss_kappa
from perf_assets.schema import schema_of

CAUSE = pl.concat_str("category", pl.format(" ({})", "subcategory").fill_null(""))
QUESTIONS = {
    "is_performance": pl.col("verdict"),
    "category": pl.col("category"),
    "cause": CAUSE,
    "impact": pl.col("impact"),
}
"""The questions to raters, and their answers; a cause is a category with its sub-category."""


def _code(name: str) -> pl.Expr:
    """Category with its sub-category; NULL without a category."""
    subcategory = pl.format(" ({})", f"{name}_subcategory").fill_null("")
    return pl.concat_str(f"{name}_category", subcategory)


OF_QUESTIONS = {
    "is_performance": pl.concat_list("verdict"),
    "kinds": pl.col("kinds"),
    "symptom_category": pl.concat_list("symptom_1_category", "symptom_2_category"),
    "symptom": pl.concat_list(_code("symptom_1"), _code("symptom_2")),
    "cause_category": pl.concat_list("cause_category"),
    "cause": pl.concat_list(_code("cause")),
    "introducing_stage": pl.concat_list("introducing_stage"),
    "exposing_stage": pl.concat_list("exposing_stage"),
    "challenge": pl.concat_list("challenge"),
}
"""The questions to raters about a forum question, and their answers about one of its problems."""

DISCUSSED = ("is_performance", "cause", "impact")

AGREED = "agreed"
"""Who the answers are of that raters agreed on when they discussed: agreement is before that."""

NOT_ESTIMABLE = "not estimable"
"""The reading of a kappa without a value."""


Subject = tuple[str, int | str]
ENDORSEMENT = ["forum", "comment_id"]
"""What tells two comments that endorse an answer apart."""


def rater_agreement(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Cohen's kappa of any two raters and Fleiss' of three or more, question by question.

    Each is over the bug reports that all of its raters answered: whether it is a performance bug
    (yes, no or unsure), the category of the root cause, the cause with its sub-category, and the
    impact. All but the first are answered of performance bugs only, so a bug report that one rater
    takes for none counts as a disagreement of the first question alone.

    Parameters
    ----------
    verdicts : columns dataset, repository, number, rater, verdict, category, subcategory, impact:
        the verdict in force of each rater and bug report.

    Returns
    -------
    ``analysis.rater_agreement``, by repository and
    pooled. Raters that answered no question of the same bug report have no row.
    """
    rows = [
        (dataset, repository, question, *row)
        for dataset, repository, judged in by_repository_and_pooled(verdicts)
        for question in QUESTIONS
        for row in kappas(
            by_rater(judged.select("rater", "repository", "number", QUESTIONS[question]))
        )
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.rater_agreement"), orient="row")


def question_agreement(
    verdicts: pl.DataFrame, of_endorsements: pl.DataFrame, endorsements: pl.DataFrame
) -> pl.DataFrame:
    """Return the same kappas over questions of forums, see :func:`rater_agreement`.

    Whether a question is about performance (yes, no or unsure), its kinds, the root cause of what
    makes it hard, and of the problems in it symptoms, root causes and stages. A question may hold
    several problems and be of several kinds: answers agree when they name the same ones, in
    whatever order.

    Parameters
    ----------
    verdicts : ``staging.question_verdicts``: a row for each rater, question and problem in force.
    of_endorsements, endorsements : as for
        :func:`~perf_assets.core.reviews.precision.endorsement_precision`.

    Returns
    -------
    ``analysis.question_agreement``, by forum. Raters that answered nothing of the same question
    have no row.
    """
    # Of each question the set of answers over its problems, as one text; NULL without an answer.
    every = pl.all().exclude("forum", "question_id", "rater")
    answers = (
        verdicts.select("forum", "question_id", "rater", **OF_QUESTIONS)
        .group_by("forum", "question_id", "rater")
        .agg(every.explode().drop_nulls().unique().sort())
        .with_columns(pl.when(every.list.len() > 0).then(every.list.join(" | ")))
    )
    rows = [
        (forum, question, *row)
        for (forum,), judged in groups_of(answers, "forum")
        for question in OF_QUESTIONS
        for row in kappas(
            by_rater(judged.select("rater", "forum", "question_id", pl.col(question)))
        )
    ]
    in_force = endorsement_verdicts_in_force(of_endorsements, endorsements)
    rows += [
        (forum, "endorsement", *row)
        for (forum,), judged in groups_of(in_force, "forum")
        for row in kappas(by_rater(judged.select("rater", "forum", "comment_id", "verdict")))
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.question_agreement"), orient="row")


def endorsement_verdicts_in_force(
    verdicts: pl.DataFrame, endorsements: pl.DataFrame
) -> pl.DataFrame:
    """Return each rater's last verdict on each comment that counts as endorsing, with its kind."""
    last = verdicts.sort("verdict_id").unique([*ENDORSEMENT, "rater"], keep="last")
    return last.join(endorsements, on=ENDORSEMENT)


def rater_disagreements(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Return the bug reports that two raters answered differently: what to discuss.

    Parameters
    ----------
    verdicts : as for :func:`rater_agreement`, and note, title, html_url.

    Returns
    -------
    ``analysis.rater_disagreements``, one row for
    each bug report, question and pair of raters, the raters in alphabetical order.
    """
    about = ["dataset", "repository", "number"]
    columns = (*about, "rater", "note", "title", "html_url")
    answers = pl.concat(
        verdicts.filter(pl.col("rater") != AGREED).select(
            *columns, question=pl.lit(name), answer=QUESTIONS[name]
        )
        for name in DISCUSSED
    )
    first, second = (
        answers.rename({name: f"{name}_{side}" for name in ("rater", "answer", "note")})
        for side in (1, 2)
    )
    return (
        first.join(second.drop("title", "html_url"), on=[*about, "question"])
        .filter(pl.col("rater_1") < pl.col("rater_2"), pl.col("answer_1") != pl.col("answer_2"))
        .select(*schema_of("analysis.rater_disagreements").names())
        .sort(*about, "question", "rater_1", "rater_2")
    )


def by_rater(answered: pl.DataFrame) -> dict[str, dict[Subject, str]]:
    """Return the answers of each rater, from columns rater, the two of the key, and the answer."""
    answers: dict[str, dict[Subject, str]] = {}
    for rater, container, number, answer in answered.sort(pl.all()).iter_rows():
        if answer is not None and rater != AGREED:
            answers.setdefault(rater, {})[container, number] = answer
    return answers


def kappas(answers: Mapping[str, Mapping[Subject, str]]) -> Iterator[tuple[object, ...]]:
    """Yield a row for any two raters that answered of the same subject, and one for all of several.

    raters, method, n, observed, expected, kappa, low, high, confidence, reading.
    """
    groups = [*combinations(answers, 2), *([tuple(answers)] if len(answers) > 2 else [])]
    for raters in groups:
        common = sorted(set.intersection(*(set(answers[rater]) for rater in raters)))
        if common:
            kappa = kappa_of([[answers[rater][subject] for rater in raters] for subject in common])
            yield (
                *(", ".join(raters), "fleiss" if len(raters) > 2 else "cohen"),
                *(kappa.n, kappa.observed, kappa.expected),
                *(kappa.statistic, kappa.low, kappa.high, kappa.confidence, kappa.reading),
            )


def kappa_of(ratings: Sequence[Sequence[str]]) -> Kappa:
    """Return Cohen's kappa of two raters or Fleiss' of more; without a value if not estimable.

    Where no answer differs kappa is 1, without limits: an interval of width zero would say that
    few subjects are enough to be sure.

    Parameters
    ----------
    ratings : the answers to each subject, one of each rater, in one order of the raters.

    Notes
    -----
    Kappa is estimable if at least two raters gave more than one answer. If one of two raters gave
    a single answer k throughout, the share of agreement due to chance, sum p_1j p_2j = p_2k, is the
    share found, whatever the other rater answered. Kappa is then 0 with a standard error of 0 or,
    if both gave k throughout, 0 / 0: it measures the shares of the answers, not the raters. Fleiss'
    kappa pools these shares over raters, so it needs two raters who tell subjects apart as well.

    References
    ----------
    Feinstein, A. R. and Cicchetti, D. V. (1990). High agreement but low kappa: I. The problems of
    two paradoxes. Journal of Clinical Epidemiology 43, 543-549.
    """
    first, second, *more = zip(*ratings, strict=True)
    kappa = fleiss_kappa(ratings) if more else cohens_kappa(first, second)
    if sum(len(set(answers)) > 1 for answers in (first, second, *more)) > 1:
        # Without a differing answer the error is 0, whatever the number of subjects.
        return kappa if kappa.standard_error else replace(kappa, low=None, high=None)
    return replace(
        kappa, statistic=None, standard_error=None, low=None, high=None, reading=NOT_ESTIMABLE
    )
