"""Figures of how far all this can be trusted: verdicts of people, raters, rules, the papers."""

import polars as pl

from perf_assets.core.paper.constants import PUBLISHED_FILE
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.panels import estimates
from perf_assets.reports.queries import NOT_POOLED_ALONE

LABELS = f"""
select
    repository, measure, rule, rater, n as judged, successes as yes, n_unsure as unsure,
    estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.labelling_quality
where
    dataset = 'live' and (rule = 'all' or rater = 'consensus')
    and {NOT_POOLED_ALONE.format("labelling_quality")}
order by repository = 'pooled', repository, rule <> 'all', measure, rater, n desc, rule
"""
LABELS_VERDICTS = f"""
select repository, printf(
    '%s of the labels %.0f %% [%.0f, %.0f], by %d bug reports judged (%s)',
    replace(measure, '_', ' '), estimate, low, high, judged, rater
)
from ({LABELS.strip()})
where rule = 'all' and estimate is not null
"""
PRECISION = """
select
    repository, rule, rater, judged, right_ones, wrong_ones, unsure_ones,
    estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.finding_precision
order by repository = 'pooled', repository, rule <> 'all', rule, rater
"""
PRECISION_VERDICTS = f"""
select repository, printf(
    'findings of %s: %.0f %% are right [%.0f, %.0f], by %d judged (%s)',
    rule, estimate, low, high, judged, rater
)
from ({PRECISION.strip()})
where estimate is not null
"""
ENDORSEMENTS = """
select
    forum, endorsement, rater, judged_comments, right_comments, wrong_comments, unsure_comments,
    estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.endorsement_precision
order by forum, endorsement, rater
"""
ENDORSEMENTS_VERDICTS = f"""
select forum, printf(
    'comments that count as endorsing an answer (%s): %.0f %% do [%.0f, %.0f], by %d judged (%s)',
    endorsement, estimate, low, high, judged_comments, rater
)
from ({ENDORSEMENTS.strip()})
where estimate is not null
"""


def _agreement(table: str, by: str, question: str, condition: str) -> Figure:
    """The figure of a table of kappas: who agrees with whom on what."""
    rows = f"""
select {by} as place, {question} as asked, raters, method, n, kappa as estimate, low, high, reading
from analysis.{table}
where {condition}
order by place = 'pooled', place, asked, method, raters
"""
    verdicts = f"""
select place, printf(
    '%s: kappa = %.2f [%.2f, %.2f], %s, of %d judged by %s',
    replace(asked, '_', ' '), estimate, low, high, reading, n, raters
)
from ({rows.strip()})
where estimate is not null
"""
    return Figure("How far raters agree beyond chance", rows, verdicts, _kappas)


TWO_RULES = f"""
select
    repository, stem_set, n, both_rules, keywords_only, stems_only, neither_rule,
    kappa as estimate, low, high, reading
from analysis.labelling_rule_agreement
where
    dataset = 'live' and month = 'all'
    and {NOT_POOLED_ALONE.format("labelling_rule_agreement")}
order by repository = 'pooled', repository, stem_set
"""
TWO_RULES_VERDICTS = f"""
select repository, printf(
    'keywords and stems (%s) agree with kappa = %.2f [%.2f, %.2f], %s',
    replace(stem_set, '_', ' '), estimate, low, high, reading
)
from ({TWO_RULES.strip()})
where estimate is not null
union all
select repository, printf(
    'too few to say how far keywords and stems (%s) agree: they mark %d and %d bug reports',
    stem_set, both_rules + keywords_only, both_rules + stems_only
)
from ({TWO_RULES.strip()})
where estimate is null
"""
FAMILY = """
select repository, source, result_of, method, p_value as p, p_value_holm as p_adjusted
from analysis.adjusted_tests
where dataset = 'live'
order by p_value_holm, p_value, repository, source, result_of
"""
FAMILY_VERDICTS = """
select 'all repositories', case
    when count(p_value) = 0 then 'no headline test was made: there are too few performance bugs'
    else printf(
        '%d of %d headline tests have p < 0.05, %d of them when adjusted for all (Holm)',
        count(*) filter (where p_value < 0.05), count(p_value),
        count(*) filter (where p_value_holm < 0.05)
    )
end
from analysis.adjusted_tests
where dataset = 'live'
"""
PROPOSALS = f"""
select
    repository, rank, term, titles_performance, titles_other, titles_missed, log_odds_ratio, z,
    is_covered
from analysis.keyword_proposals
where dataset = 'live' and {NOT_POOLED_ALONE.format("keyword_proposals")}
order by repository = 'pooled', repository, rank
"""
PROPOSED = f"""
select repository, 'titles of performance bugs have more often than others: ' || string_agg(
    term, ', ' order by rank
)
from analysis.keyword_proposals
where
    dataset = 'live' and not is_covered and rank <= 10
    and {NOT_POOLED_ALONE.format("keyword_proposals")}
group by repository
order by repository = 'pooled', repository
"""
PAPER = """
select
    study, location, repository, quantity, published_text as published, reproduced, verdict, reason
from analysis.paper_comparison
where verdict <> 'not_derivable'
order by
    list_position(['differs', 'coincides', 'within_rounding', 'exact'], verdict), study, location,
    repository, quantity
"""
PAPER_VERDICTS = f"""
select 'the study of ' || replace(study, '_', ' '), string_agg(
    number || ' ' || replace(verdict, '_', ' '), ', '
    order by list_position(
        ['exact', 'within_rounding', 'coincides', 'differs', 'not_derivable'], verdict
    )
) || case
    when sum(of_file) > 0
        then printf(' (%d of them counted in the published file, not printed)', sum(of_file))
    else ''
end
from (
    select
        study, verdict, count(*) as number,
        count(*) filter (where starts_with(location, '{PUBLISHED_FILE}')) as of_file
    from analysis.paper_comparison
    group by all
)
group by study
order by study
"""
DISAGREEMENTS = """
select repository, number, question, rater_1, answer_1, rater_2, answer_2, title, html_url
from analysis.rater_disagreements
where dataset = 'live'
order by repository, number, question, rater_1, rater_2
"""
DISAGREED = """
select repository, printf('raters disagree on %s of %d bug reports',
    replace(question, '_', ' '), count(distinct number))
from analysis.rater_disagreements
where dataset = 'live'
group by repository, question
order by repository, question
"""


def _labels(rows: pl.DataFrame) -> list[Spec]:
    """Of all labels, and of each sort of them."""
    chosen = rows.filter((pl.col("rater") == "consensus") | (pl.col("rule") == "all"))
    chosen = chosen.with_columns(
        what=pl.when(pl.col("rule") == "all")
        .then(pl.col("measure").str.replace_all("_", " ") + " (" + pl.col("rater") + ")")
        .otherwise(pl.lit("precision of ") + pl.col("rule"))
    )
    groups = chosen.group_by("repository", maintain_order=True)
    return [estimates(str(name), part.head(16), "percent, 95 %") for (name,), part in groups]


def _precision(rows: pl.DataFrame) -> list[Spec]:
    groups = rows.with_columns(what="rule", color="rater").group_by(
        "repository", maintain_order=True
    )
    return [estimates(str(name), part, "right ones, percent") for (name,), part in groups]


def _kappas(rows: pl.DataFrame) -> list[Spec]:
    named = rows.with_columns(what=pl.col("asked") + ", " + pl.col("raters"))
    groups = named.group_by("place", maintain_order=True)
    return [estimates(str(name), part, "kappa, 95 %", nothing=0) for (name,), part in groups]


FIGURES = {
    "analysis.labelling_quality": Figure(
        "How good the labels are", LABELS, LABELS_VERDICTS, _labels
    ),
    "analysis.finding_precision": Figure(
        "How often findings of static checks are right", PRECISION, PRECISION_VERDICTS, _precision
    ),
    "analysis.endorsement_precision": Figure(
        "How often endorsed answers are", ENDORSEMENTS, ENDORSEMENTS_VERDICTS
    ),
    "analysis.rater_agreement": _agreement(
        "rater_agreement",
        "repository",
        "question",
        f"dataset = 'live' and {NOT_POOLED_ALONE.format('rater_agreement')}",
    ),
    "analysis.question_agreement": _agreement("question_agreement", "forum", "asked", "true"),
    "analysis.finding_agreement": _agreement(
        "finding_agreement", "repository", "'whether findings are right'", "true"
    ),
    "analysis.rater_disagreements": Figure("What raters disagree on", DISAGREEMENTS, DISAGREED),
    "analysis.labelling_rule_agreement": Figure(
        "Do keywords and stems mark the same bug reports?", TWO_RULES, TWO_RULES_VERDICTS
    ),
    "analysis.adjusted_tests": Figure("The headline tests as one family", FAMILY, FAMILY_VERDICTS),
    "analysis.keyword_proposals": Figure("Words that might be keywords", PROPOSALS, PROPOSED),
    "analysis.paper_comparison": Figure(
        "The papers beside their reproduction", PAPER, PAPER_VERDICTS
    ),
}
