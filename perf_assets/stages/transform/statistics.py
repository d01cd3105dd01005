"""The functions that compute the tables of statistics. Importing them takes a second."""

from collections.abc import Callable
from functools import partial

import polars as pl

from perf_assets.core.analyses.bots import bot_sensitivity
from perf_assets.core.analyses.closing import closing_rates, open_share_changes
from perf_assets.core.analyses.effects import effect_sizes, group_comparisons
from perf_assets.core.analyses.findings import static_findings
from perf_assets.core.analyses.incidence import fix_curves, fix_incidence
from perf_assets.core.analyses.keyword_proposals import keyword_proposals
from perf_assets.core.analyses.label_sensitivity import label_sensitivity
from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.analyses.link_sensitivity import link_sensitivity
from perf_assets.core.analyses.multiple_testing import family_of_tests
from perf_assets.core.analyses.rule_agreement import rule_agreement, stem_sets
from perf_assets.core.analyses.trends import trend_tests
from perf_assets.core.paper.comparison import paper_comparison
from perf_assets.core.questions.both_sides import both_sides
from perf_assets.core.questions.difficulty import question_difficulty
from perf_assets.core.questions.quality import question_kind_quality
from perf_assets.core.reviews.finding_precision import finding_agreement, finding_precision
from perf_assets.core.reviews.labelling_quality import labelling_quality
from perf_assets.core.reviews.rater_agreement import (
    question_agreement,
    rater_agreement,
    rater_disagreements,
)
from perf_assets.sources.question_kinds.wordlists import wordlists
from perf_assets.sources.replication.paper_figures import paper_figures

COMPUTE: dict[str, Callable[..., pl.DataFrame]] = {
    "analysis.trend_tests": trend_tests,
    "analysis.group_comparisons": group_comparisons,
    "analysis.open_share_changes": open_share_changes,
    "analysis.closing_rates": closing_rates,
    "analysis.fix_incidence": fix_incidence,
    "analysis.fix_curves": fix_curves,
    "analysis.test_family": family_of_tests,
    "analysis.effect_sizes": effect_sizes,
    "analysis.lifetime_comparisons": lifetime_comparisons,
    "analysis.link_sensitivity": link_sensitivity,
    "analysis.bot_sensitivity": bot_sensitivity,
    "analysis.label_sensitivity": label_sensitivity,
    "analysis.paper_comparison": partial(paper_comparison, paper_figures()),
    "analysis.rule_agreement": rule_agreement,
    "analysis.stem_sets": stem_sets,
    "analysis.labelling_quality": labelling_quality,
    "analysis.keyword_proposals": keyword_proposals,
    "analysis.rater_agreement": rater_agreement,
    "analysis.rater_disagreements": rater_disagreements,
    "analysis.question_agreement": question_agreement,
    "analysis.static_findings": static_findings,
    "analysis.finding_precision": finding_precision,
    "analysis.finding_agreement": finding_agreement,
    "analysis.both_sides": both_sides,
    "analysis.question_kind_quality": partial(question_kind_quality, wordlists()),
    "analysis.question_difficulty": question_difficulty,
}
"""Each table from the rows of its upstream tables, in their order."""
