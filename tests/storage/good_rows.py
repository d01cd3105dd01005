"""Good rows of every table that has rules, and the parameters of their audits."""

import re
from datetime import datetime
from typing import Any

from perf_assets.schema import Column, table_of
from tests.question_rows import (
    both_sides_month,
    group_difficulty,
    kind_quality,
    lag_correlation,
    question,
    whole_difficulty,
    word_weight,
)
from tests.rows import (
    NOTHING_YET,
    OTHER_SHA,
    PYTORCH,
    REPOSITORY,
    SHA,
    UNFIXED,
    Row,
    activity,
    at,
    bug_metrics,
    bug_release,
    changed_file,
    closing_rate,
    comment,
    commit,
    comparison,
    counted_problems,
    detail,
    disagreement,
    effect,
    event,
    figure,
    fixer,
    flow_test,
    incidence,
    issue,
    label,
    label_kind,
    lifetime,
    published_bug,
    published_commit,
    published_month,
    published_problem,
    quality,
    raters,
    root_cause,
    statistic,
    taxonomy_row,
    trend_month,
    trend_test,
    verdict,
)

MONTH = "2020-02"
FORUM, TAG_SET = "stackoverflow", "tensorflow"
RULE_VERSION = "3f2a9c0b"
ALERT = "a0123456789-2021-03"
REGRESSION = "r" + "1" * 10


def of_partition(**row: Any) -> Row:
    return {"repository": REPOSITORY, "month": MONTH, **row}


def of_tag_set(**row: Any) -> Row:
    return {"forum": FORUM, "tag_set": TAG_SET, "month": MONTH, **row}


def closed_issue(number: int) -> Row:
    return issue(
        number, at(1), at(8), title="It is slow", state_reason="completed", updated_at=at(9)
    )


def mined(sha: str, **changes: Any) -> Row:
    row = {"sha": sha, "parents": ["c" * 40], "authored_at": at(1)}
    return {**commit("mined", at(2), 3, 1), **row, **changes}


def changed(path: str, **changes: Any) -> Row:
    row = {"sha": SHA, "month": MONTH, "additions": 3, "deletions": 1}
    return changed_file("changed", path, **{**row, **changes})


def of_event(kind: str, **changes: Any) -> Row:
    return event(7, kind, at(3), month=MONTH, **changes)


def labelled(number: int, **changes: Any) -> Row:
    return label(number, month=MONTH, **changes)


def details(sha: str, **changes: Any) -> Row:
    row = {"sha": sha, "month": MONTH, "methods_changed": 2, "test_share": 0.25, "removed_lines": 3}
    return detail("detail", **{**row, **changes})


def posted_question(question_id: int, **changes: Any) -> Row:
    return question(question_id, at(3), tag_set=TAG_SET, month=MONTH, **changes)


GOOD: dict[str, list[Row]] = {
    "raw.questions": [
        posted_question(1),
        posted_question(2, accepted_answer_id=12),
        posted_question(3, owner=None),
    ],
    "raw.answers": [
        of_tag_set(answer_id=11, question_id=1),
        of_tag_set(answer_id=12, question_id=2, is_accepted=True),
    ],
    "raw.question_comments": [
        of_tag_set(comment_id=21, question_id=1, post_id=1),
        of_tag_set(comment_id=22, question_id=2, post_id=12),
    ],
    "raw.rejected_posts": [
        {"forum": FORUM, "file": "Posts.xml", "byte_offset": offset, "reason": "it is cut"}
        for offset in (0, 812)
    ],
    "labels.question_kinds": [
        {"forum": FORUM, "question_id": number, "kind": "performance", "method": "people"}
        for number in (1, 2)
    ],
    "labels.question_word_weights": [
        word_weight("slow", keywords=["slow", "slowly"]),
        word_weight("gpu", word_rank=2),
    ],
    "marts.question_difficulty": [
        group_difficulty("all"),
        group_difficulty(
            "performance",
            accepted=0,
            accepted_share=0.0,
            median_hours_to_accepted=None,
            mean_hours_to_accepted=None,
        ),
    ],
    "marts.questions_vs_bugs_monthly": [both_sides_month("2020-01"), both_sides_month("2020-02")],
    "analysis.question_bug_correlation": [
        lag_correlation(3),
        lag_correlation(
            4, statistic=None, low=None, high=None, band=None, is_outside_band=None, result="none"
        ),
    ],
    "reviews.labelled_questions": [
        {"forum": FORUM, "question_id": number, "kind": "performance", "file": "a.csv", "line": 2}
        for number in (7, 8)
    ],
    "analysis.question_kind_quality": [
        kind_quality("macro"),
        kind_quality(
            "performance",
            variant="with code",
            is_default=False,
            is_chosen=False,
            f1_difference=None,
            f1_difference_low=None,
            f1_difference_high=None,
        ),
    ],
    "analysis.question_difficulty": [
        whole_difficulty("all"),
        whole_difficulty("performance", km_median_hours_to_accepted_high=None),
    ],
    "reviews.verdicts": [
        verdict(1, "Ann", 7, "yes", category="Other", impact="speed"),
        verdict(2, "Ann", 7, "no"),
    ],
    "analysis.corrected_shares": [
        {
            "dataset": "live",
            "repository": "owner/name",
            "method": method,
            "bug_reports": 100,
            "estimate_percent": 10.0,
            "low_percent": 5.0,
            "high_percent": 20.0,
            "is_believed": method == "corrected",
        }
        for method in ("rule", "classifier", "corrected")
    ],
    "analysis.labelling_quality": [
        quality("all"),
        quality(
            "keyword: slow",
            n=0,
            successes=0,
            estimate_percent=None,
            low_percent=None,
            high_percent=None,
        ),
    ],
    "analysis.rater_agreement": [raters("is_performance"), raters("impact", kappa=None)],
    "analysis.rater_disagreements": [disagreement("is_performance"), disagreement("cause")],
    "analysis.labelling_rule_agreement": [
        {"repository": REPOSITORY, "n": 9, "neither_rule": 9, "month": month}
        for month in (MONTH, "all")
    ],
    "analysis.question_agreement": [
        {"forum": FORUM, "asked": posted_question, "raters": "Ann, Bob", "n": 4}
        for posted_question in ("kinds", "cause")
    ],
    "reviews.question_verdicts": [
        {"verdict_id": number, "rater": "Ann", "forum": FORUM, "question_id": 7, "verdict": "yes"}
        for number in (1, 2)
    ],
    "analysis.keyword_stem_hits": [
        {"forum": FORUM, "tag_set": TAG_SET, "entry": entry, "total": 9, "questions": 4}
        | {"only_by_it": 1}
        for entry in ("oom", "any")
    ],
    "marts.root_causes": [root_cause("Other"), root_cause("Inefficient caching")],
    "replication.bugs": [published_bug(7), published_bug(8, closed_at=None, minutes_to_close=None)],
    "replication.fixes": [
        {"repository": PYTORCH, "number": n, "commits": 1, "additions": 3, "deletions": 1}
        | {"changes": 4}
        for n in (7, 8)
    ],
    "replication.fix_commits": [published_commit(1), published_commit(2, approach="id")],
    "replication.paper_series": [published_month("2020-01"), published_month("2020-02")],
    "replication.taxonomy": [taxonomy_row(7, subcategory="Slow"), taxonomy_row(8)],
    "replication.problems": [
        published_problem("65160023_1"),
        published_problem("65160024", symptom_1_category="Unknown", symptom_1_subcategory=None),
    ],
    "marts.problem_distribution": [counted_problems(code=code) for code in ("Time", "Memory")],
    "marts.symptoms_by_cause": [counted_problems(symptom=code) for code in ("Time", "Memory")],
    "marts.causes_by_stage": [counted_problems(cause=code) for code in ("API", "Data")],
    "replication.rejected_rows": [
        {"file": "a.csv", "line": line, "part": 0, "reason": "'x' is not a number"}
        for line in (2, 3)
    ],
    "marts.paper_trend": [
        {
            "dataset": "replication",
            "repository": PYTORCH,
            "series": "open",
            "month": month,
            "published_performance": 1,
            "published_total": 4,
            "reproduced_performance": 1,
            "reproduced_total": 4,
            "reproduced_percent": 25.0,
        }
        for month in ("2020-01", "2020-02")
    ],
    "analysis.effect_sizes": [effect("comments"), effect("fix_size")],
    "analysis.fix_incidence": [
        incidence("fixed", 30),
        incidence(
            "closed", 365, percent_other=None, percent_other_low=None, percent_other_high=None
        ),
    ],
    "analysis.fix_curves": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "event": "fixed",
            "is_performance": True,
            "days": days,
            "events": days,
            "share": 2.0 * days,
            "share_low": 1.0 * days,
            "share_high": 3.0 * days,
        }
        for days in (0, 7)
    ],
    "analysis.closing_rates": [
        closing_rate("performance"),
        closing_rate(
            "performance_against_other",
            closes=None,
            open_years=None,
            closes_per_open_year=None,
        ),
    ],
    "analysis.open_share_changes": [
        {
            **statistic(repository=name, slope=1.0),
            "slope_from_reports": 0.8,
            "slope_from_closing": 0.2,
        }
        for name in (REPOSITORY, "other/name")
    ],
    "analysis.adjusted_tests": [
        statistic(source="trend_tests", result_of=series, p_value_holm=0.04, tests=2)
        for series in ("open", "opened")
    ],
    "analysis.trend_variants": [
        {"dataset": "live", "repository": REPOSITORY, "variant": variant, "periods": 1}
        | {"reports": 9, "performance": 3, "percent": 33.3, "result": "no change"}
        | {"odds_ratio_per_year": 1.1, "odds_ratio_low": 0.9, "odds_ratio_high": 1.3}
        | {"p_value": 0.4, "is_too_few": False}
        for variant in ("all", "not_rejected")
    ],
    "analysis.label_sensitivity": [
        statistic(
            label_rule=label_rule,
            result_of="opened",
            effect=1.2,
            effect_low=1.1,
            effect_high=1.3,
            n_performance=3,
            n_other=6,
        )
        for label_rule in ("study", "widened")
    ],
    "analysis.keyword_proposals": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "rank": rank,
            "term": term,
            "taught_by": "performance_labels",
            "titles_performance": 5,
            "titles_other": 1,
            "titles_missed": 1,
            "log_odds_ratio": 1.5,
            "z": 3.0,
            "is_covered": False,
        }
        for rank, term in enumerate(("leaks", "overhead"), 1)
    ],
    "analysis.link_sensitivity": [
        statistic(metric=metric, links=9, links_left_out=2, cliffs_delta=0.2)
        for metric in ("fix_size", "fix_time_days")
    ],
    "marts.bug_fixers": [
        fixer(7, "ada", is_member=True),
        fixer(8, "bob", is_first_contribution=True),
    ],
    "analysis.project_comparisons": [
        {
            "dataset": "live",
            "compared": "area_and_rest",
            "repository": REPOSITORY,
            "first": area,
            "second": "rest",
            "metric": "comments",
            "n_first": 9,
            "n_second": 20,
            "level_first": 2.0,
            "level_second": 1.0,
            "cliffs_delta": 0.2,
            "cliffs_delta_low": 0.1,
            "cliffs_delta_high": 0.3,
            "p_value": 0.04,
            "strata": 3,
            "n_matched_first": 8,
            "n_matched_second": 12,
            "adjusted_cliffs_delta": 0.1,
            "adjusted_cliffs_delta_low": 0.0,
            "adjusted_cliffs_delta_high": 0.2,
            "adjusted_p_value": 0.1,
            "heterogeneity_p_value": 0.5,
            "adjusted_p_value_holm": 0.2,
            "is_too_few": False,
            "result": "delta = 0.100",
        }
        for area in ("cuda", "nn")
    ],
    "analysis.pooled_effects": [
        {
            "dataset": "live",
            "metric": metric,
            "n": 4,
            "cliffs_delta": 0.2,
            "cliffs_delta_low": 0.1,
            "cliffs_delta_high": 0.3,
            "p_value": 0.04,
            "tau": 0.05,
            "i_squared": 0.3,
            "heterogeneity_p_value": 0.2,
            "prediction_low": 0.0,
            "prediction_high": 0.4,
            "result": "delta = 0.200",
        }
        for metric in ("comments", "fix_size")
    ],
    "analysis.fixing_concentration": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "is_performance": is_performance,
            "n": 9,
            "persons": 4,
            "by_members_share": 0.5,
            "by_newcomers_share": 0.25,
            "gini": 0.3,
            "half_group": 2,
        }
        for is_performance in (False, True)
    ],
    "analysis.bot_sensitivity": [
        statistic(
            metric="comments",
            bots=bots,
            bug_reports=9,
            with_types=8,
            with_bots=2,
            with_bots_share=0.25,
            comments=20,
            comments_of_bots=5,
            cliffs_delta=0.2,
        )
        for bots in ("left_out", "counted")
    ],
    "analysis.paper_comparison": [
        figure("a"),
        figure("b", verdict="differs", reason="The package tells of no reopening."),
        figure("d", verdict="coincides", reason="The counts behind it are others."),
        figure("c", verdict="not_derivable", reproduced=None, reason="It is not in the data."),
    ],
    "raw.issues": [
        closed_issue(7),
        {**closed_issue(8), "state": "open", "state_reason": None, "closed_at": None},
    ],
    "raw.issue_comments": [
        comment(7, 1, at(3), "ann", month=MONTH),
        comment(8, 2, at(1, month=5), None, month=MONTH),
    ],
    "raw.issue_events": [
        of_event("closed", commit_sha=SHA, closer_repository=REPOSITORY),
        of_event("labeled", label="bug"),
        of_event("renamed", previous_title="Slow"),
        of_event("reopened"),
    ],
    "raw.issue_pull_requests": [
        of_partition(
            number=7,
            pull_request_repository=REPOSITORY,
            pull_request=9,
            relation=relation,
            merge_commit_sha=SHA,
        )
        for relation in ("closer", "linked")
    ],
    "raw.issue_gaps": [
        of_partition(
            subject=subject,
            number=number,
            entity="events",
            lacks=lacks,
            kind=kind,
            reason="GitHub left it out",
            entries=2,
        )
        for subject, number, lacks, kind in (
            ("#7", 7, "entry", "missing"),
            ("#7", 7, "closer", "withheld"),
            ("unnamed", None, "entry", "unusable"),
            ("#8", 8, "author_type", "unknown"),
        )
    ],
    "raw.branch_commits": [
        mined(SHA, branch="release-1"),
        mined(OTHER_SHA, branch="a/b", is_merge=True, parents=[SHA, "d" * 40]),
        mined("e" * 40, branch="a/b", parents=[], additions=0, deletions=0, changed_files=0),
    ],
    "raw.commits": [
        mined(SHA),
        mined(OTHER_SHA, is_merge=True, parents=[SHA, "d" * 40]),
        mined("e" * 40, parents=[], additions=0, deletions=0, changed_files=0),
    ],
    "raw.commit_files": [
        changed("a.py"),
        changed("b.py", change_type="renamed", old_path="c.py"),
        changed("d.png", is_binary=True, additions=0, deletions=0),
    ],
    "raw.issue_templates": [
        of_partition(
            sha=SHA, path=".github/ISSUE_TEMPLATE/bug.md", committed_at=at(4), body="What happened?"
        ),
        of_partition(sha=OTHER_SHA, path="issue_template.md", committed_at=at(5), body="Steps"),
        of_partition(sha=SHA, path="docs/ISSUE_TEMPLATE", committed_at=at(4), body="Version"),
    ],
    "raw.releases": [
        of_partition(
            tag=tag, release_version=tag[1:], release_kind=kind, sha=SHA, released_at=at(20)
        )
        for tag, kind in (("v1.0rc1", "rc"), ("v1.0", "final"))
    ],
    "labels.performance_labels": [
        labelled(7),
        labelled(
            8,
            is_performance=True,
            strength="moderate",
            matched_keywords=["slow"],
            matched_in=["title", "body"],
        ),
        labelled(9, is_performance=True, strength="strong", matched_labels=["performance"]),
        labelled(
            10,
            is_bug_report=False,
            not_a_bug_by="label",
            non_bug_labels=["feature"],
            matched_labels=["performance"],
        ),
    ],
    "labels.label_evidence": [
        of_partition(number=7, rule="keyword", field=field, match="slow")
        for field in ("title", "body")
    ],
    "labels.keyword_stems": [
        of_partition(number=7, matched_stems=["hang"]),
        of_partition(number=8, matched_stems=["oom"], matched_stems_as_published=["oom"]),
    ],
    "labels.performance_probabilities": [
        of_partition(
            number=number,
            probability=probability,
            is_performance=probability > 0.5,
            speed_probability=probability,
            memory_probability=0.0,
            hang_probability=0.0,
            quality_probability=0.0,
            deciding_words=["slow (+)", "crash (-)"],
            trained_share=0.12,
            model_version="00000000",
        )
        for number, probability in ((7, 0.9), (8, 0.1))
    ],
    "labels.performance_commits": [
        of_partition(
            sha=SHA,
            landed_by=None,
            pull_request=12,
            work="optimisation",
            strength="moderate",
            signs=["title: speed up"],
            probability=0.4,
            model_version="00000000",
        )
    ],
    "labels.environments": [
        of_partition(
            number=7,
            environment_aspect="device",
            environment_value=value,
            stated_in="text",
            statement="slower on the GPU than on a CPU",
        )
        for value in ("cpu", "gpu")
    ],
    "labels.report_forms": [
        of_partition(
            number=7,
            form_path=".github/ISSUE_TEMPLATE/performance.yml",
            form_name="Performance",
            template_sha=SHA,
            headings_matched=2,
            headings_of_form=3,
            title_prefix="[Performance]: ",
            filled_fields=["Memory usage"],
            empty_fields=["Version", "Logs"],
            is_performance_form=True,
            performance_fields=["Memory usage"],
        ),
        of_partition(
            number=8,
            form_path="ISSUE_TEMPLATE.md",
            form_name="ISSUE_TEMPLATE",
            template_sha=OTHER_SHA,
            headings_matched=1,
            headings_of_form=1,
            title_prefix=None,
            filled_fields=[],
            empty_fields=["Steps"],
            is_performance_form=False,
            performance_fields=[],
        ),
    ],
    "labels.area_evidence": [
        of_partition(
            number=7,
            area=area,
            area_source=source,
            evidence=evidence,
            area_rule=rule,
            rule_version=RULE_VERSION,
        )
        for area, source, evidence, rule in (
            ("nn", "label", "module: nn", "pattern"),
            ("package/nn", "stack_trace", "package/nn/layer.py", "directory"),
        )
    ],
    "labels.performance_questions": [
        of_tag_set(question_id=1),
        of_tag_set(question_id=2, is_performance=True, matched_stems=["hang"]),
    ],
    "labels.label_kinds": [
        label_kind("performance", is_performance=True),
        label_kind("feature", is_non_bug=True),
    ],
    "links.fix_links": [
        of_partition(
            number=7, sha=SHA, approach="id", evidence="fixes #7", is_counted=True, branch=None
        ),
        of_partition(number=7, sha=SHA, approach="closed_by_commit", evidence="closed by commit"),
        of_partition(number=7, sha=SHA, approach="pull_request", evidence="merged", pull_request=9),
    ],
    "links.commit_relations": [
        of_partition(
            sha=SHA, related_sha="b" * 40, relation=relation, evidence="This reverts commit"
        )
        for relation in ("reverts", "restores", "copies")
    ],
    "links.fix_areas": [
        of_partition(
            sha=SHA,
            path=path,
            area="package/nn",
            area_rule="directory",
            is_test_or_documentation=is_test,
            rule_version=RULE_VERSION,
        )
        for path, is_test in (("package/nn/layer.py", False), ("package/nn/test_layer.py", True))
    ],
    "marts.volume_anomalies": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "month": month,
            "measure": "issues",
            "value": 12.0,
            "n": None,
            "months_before": 6,
            "median_before": 10.0,
            "mad_before": 1.0,
            "robust_z_score": 0.6,
            "is_anomaly": False,
        }
        for month in ("2020-01", "2020-02")
    ],
    "marts.integrity_checks": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "question": question,
            "row_count": 10,
            "failing_rows": 0,
            "example": None,
        }
        for question in ("comments_without_issue", "links_without_commit")
    ],
    "marts.issue_history": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "number": number,
            "month": "2020-02",
            "until_month": None,
            "opened_month": "2020-01",
            "state": "open",
            "closed_at": None,
            "labels": [],
            "is_bug_report": True,
            "is_performance": False,
            "is_fixed": False,
        }
        for number in (7, 8)
    ],
    "marts.link_quality": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "approach": approach,
            "comparable": 40,
            "agreeing": 30,
            "agreement": 0.75,
            "agreement_low": 0.6,
            "agreement_high": 0.86,
            "known_issues": 50,
            "found_issues": 25,
            "recall": 0.5,
        }
        for approach in ("id", "pull_request")
    ],
    "marts.fix_link_confidence": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "number": number,
            "sha": SHA,
            "approach": "id",
            "grade": "mention",
            "confidence": 0.85,
            "confidence_low": 0.78,
            "confidence_high": 0.91,
            "agreement": 0.75,
            "agreement_links": 40,
        }
        for number in (7, 8)
    ],
    "raw.benchmark_results": [
        of_partition(
            benchmark="bench.Sum.time_sum",
            benchmark_parameters=parameters,
            sha=SHA,
            measured_value=1.5,
            lower_limit=1.4,
            upper_limit=1.6,
            samples=3,
            committed_at=datetime.fromisoformat(f"{MONTH}-01T00:00:00Z"),
        )
        for parameters in ("1", "2")
    ],
    "raw.benchmark_files": [
        of_partition(file=f"asv/{name}.json", file_months=1, results=2) for name in ("a", "b")
    ],
    "raw.scanned_trees": [
        of_partition(
            quarter="2020-Q1", sha=SHA, files=2, unparsed_files=1, rules=["sequential-map"]
        )
    ],
    "raw.static_findings": [
        of_partition(path="a.py", line=3, end_line=4, finding_id=f"f{digit * 16}") for digit in "12"
    ],
    "raw.unparsed_files": [of_partition(path=path) for path in ("a.py", "b.ipynb")],
    "analysis.static_findings": [
        {"repository": REPOSITORY, "quarter": "2020-Q1", "warnings": 1, "in_library_code": 3}
        | {"files_scanned": 9, "files_with_findings": 2, "findings": 3, "new": new, "gone": gone}
        | {"rule": rule}
        for rule, new, gone in (("sequential-map", 2, 1), ("map-before-batch", None, None))
    ],
    "reviews.endorsement_verdicts": [
        {"verdict_id": number, "rater": "Ann", "comment_id": 7} for number in (1, 2)
    ],
    "analysis.endorsement_precision": [
        {"endorsement": endorsement, "rater": "Ann", "judged_comments": 4, "right_comments": 3}
        | {"wrong_comments": 1, "estimate_percent": 75.0, "low_percent": 30.0, "high_percent": 95.0}
        for endorsement in ("all", "success")
    ],
    "reviews.finding_verdicts": [
        {"verdict_id": number, "rater": "Ann", "repository": REPOSITORY} for number in (1, 2)
    ],
    "reviews.alert_states": [
        {"verdict_id": number, "rater": "Ann", "alert_id": ALERT} for number in (1, 2)
    ],
    "marts.alerts": [
        {"alert_id": f"{ALERT[:-1]}{month}", "direction": "up", "month": f"2021-0{month}"}
        | {"first_month": "2020-01", "last_month": "2021-12", "group_ids": [f"{ALERT[:-1]}{month}"]}
        | {"level_before": 0.1, "level_after": 0.3, "effect": 0.2}
        | {"state": "known", "state_by": "Ann", "state_set_at": at(1)}
        for month in (3, 4)
    ],
    "reviews.regression_states": [
        {"verdict_id": number, "rater": "Ann", "regression_id": REGRESSION} for number in (1, 2)
    ],
    "marts.benchmark_areas": [
        {"repository": REPOSITORY, "benchmark": f"bench_{area}.Sum.time_sum", "area": area}
        for area in ("core", "linalg")
    ],
    "marts.regression_reports": [
        {"repository": REPOSITORY, "regression_id": REGRESSION, "number": number}
        | {"evidence_kinds": ["commit"], "is_reported": True}
        for number in (7, 8)
    ],
    "marts.regression_lifetimes": [
        {"repository": REPOSITORY, "regression_id": f"r{digit * 10}", "telling_issues": 1}
        | {"regression_state": "known", "reported_in": 7, "days_to_report": 3.0}
        | {"recovery_id": None, "recovered_at": None}
        for digit in "12"
    ],
    "marts.regression_recoveries": [
        {"repository": REPOSITORY, "regression_id": f"r{digit * 10}", "recovered_at": None}
        for digit in "12"
    ],
    "marts.regression_states": [
        {"repository": REPOSITORY, "regression_id": f"r{digit * 10}", "regression_state": "known"}
        for digit in "12"
    ],
    "marts.benchmark_silences": [
        {"repository": REPOSITORY, "machine": machine, "is_machine": True, "last_sha": SHA}
        | {"silent_days": 30.0, "usual_days": 7.0, "silent_benchmarks": 0, "first_benchmark": None}
        for machine in ("atom", "i7")
    ],
    "marts.benchmark_changes": [
        {"repository": REPOSITORY, "benchmark": "bench.Sum.time_sum", "sha": SHA, "ratio": 2.0}
        | {"benchmark_parameters": parameters, "last_sha_before": OTHER_SHA}
        | {"value_before": 1.0, "value_after": 2.0, "ratio_low": 1.9, "ratio_high": 2.1}
        | {"first_position": 3, "last_position": 4, "results_before": 5, "results_after": 6}
        for parameters in ("1", "2")
    ],
    "marts.regressions": [
        {"repository": REPOSITORY, "regression_id": f"r{digit * 10}", "candidate_commits": 2}
        | {"first_position": 3, "last_position": 4, "changed_benchmarks": 1}
        | {"changed_series": 2, "machines": 1}
        for digit in "12"
    ],
    "marts.duplicate_groups": [
        {"repository": REPOSITORY, "number": number, "first_number": 7}
        | {"is_first": number == 7, "group_size": 2}
        for number in (7, 8)
    ],
    "marts.instrument_changes": [
        {"repository": REPOSITORY, "month": MONTH, "instrument": "label", "name": name}
        | {"begins": True, "used_on": 10, "result": "the label began to be used"}
        for name in ("performance", "slow")
    ],
    "marts.label_provenance": [
        {"repository": REPOSITORY, "month": MONTH, "is_performance": True, "labeller": labeller}
        | {"account": "", "labels_put_on": 3, "labelled_issues": 2, "median_hours_to_label": 1.5}
        | {"undone": 1, "undone_percent": 33.3}
        for labeller in ("member", "form")
    ],
    "marts.outcomes_monthly": [
        {"dataset": "live", "repository": REPOSITORY, "month": MONTH, "is_performance": True}
        | {"outcome": outcome, "bug_reports": 2, "rejected_reports": 1}
        for outcome in ("invalid", "not_planned")
    ],
    "marts.finding_states": [
        {"repository": REPOSITORY, "finding_id": f"f{number:016d}", "rule": "sequential-map"}
        | {"first_quarter": "2020-Q1", "last_quarter": "2020-Q2", "is_gone": False}
        for number in (1, 2)
    ],
    "analysis.finding_precision": [
        {"repository": REPOSITORY, "rule": rule, "rater": "Ann", "judged": 4, "right_ones": 3}
        | {"wrong_ones": 1, "estimate_percent": 75.0, "low_percent": 30.0, "high_percent": 95.0}
        for rule in ("all", "sequential-map")
    ],
    "analysis.finding_agreement": [
        {"repository": REPOSITORY, "raters": raters, "n": 4} for raters in ("Ann, Bob", "Ann, Cy")
    ],
    "details.commit_metrics": [
        details(SHA),
        details(
            OTHER_SHA,
            methods_changed=None,
            test_share=None,
            not_analysed="a merge commit",
            removed_lines=None,
            not_traced="a merge commit",
        ),
    ],
    "details.pull_requests": [
        of_partition(
            pull_request=12,
            author="ann",
            opened_at=at(1),
            first_review_at=at(2),
            merged_at=at(3),
            closed_at=at(3),
            is_merged=True,
            additions=3,
            deletions=1,
            changed_files=2,
            reviews=2,
            reviewers=["bob", "cy"],
            is_review_list_complete=True,
        ),
        of_partition(
            pull_request=13,
            author=None,
            opened_at=at(1),
            first_review_at=None,
            merged_at=None,
            closed_at=None,
            is_merged=False,
            additions=None,
            deletions=None,
            changed_files=None,
            reviews=None,
            reviewers=[],
            is_review_list_complete=False,
        ),
    ],
    "marts.pull_request_times": [
        {
            "repository": REPOSITORY,
            "pull_request": number,
            "month": MONTH,
            "author": "ann",
            "opened_at": at(1),
            "is_merged": number == 12,
            "hours_to_first_review": 2.5,
            "hours_to_merge": 24.0 if number == 12 else None,
            "size": 4,
            "changed_files": 2,
            "reviews": 2,
            "reviewers": ["bob", "cy"],
            "is_review_list_complete": True,
            "work": "fix",
            "is_performance_bug": False,
            "is_bug": True,
        }
        for number in (12, 13)
    ],
    "details.introducing_commits": [
        of_partition(sha=SHA, path="a.py", introducing_sha=OTHER_SHA, lines=2),
        of_partition(sha=SHA, path="b.py", introducing_sha="d" * 40, lines=1),
    ],
    "details.commit_releases": [
        of_partition(fix_sha=SHA, sha=SHA, first_release="v1.1", released_at=at(20)),
        of_partition(
            fix_sha=SHA,
            sha=OTHER_SHA,
            first_release="v1.0",
            released_at=at(10),
            copied_as="d" * 40,
            next_release_at=at(20),
            exposed_releases=1,
        ),
    ],
    "details.stated_releases": [
        of_partition(number=7, stated_release="v1.0", statement="slow since 1.0"),
        of_partition(number=8, unaffected_release="v1.0", statement="fine in 1.0"),
    ],
    "marts.bug_releases": [
        bug_release(7),
        bug_release(
            8,
            outcome="not_released",
            first_fixed_release=None,
            fixed_release_at=None,
            exposure_days=None,
            days_to_release=None,
        ),
    ],
    "marts.bug_lifetimes": [
        lifetime(7),
        lifetime(
            8,
            outcome="only_adds",
            removed_lines=0,
            introduced_lines=0,
            introduced_at=None,
            lifetime_days=None,
            longest_lifetime_days=None,
        ),
    ],
    "analysis.lifetime_comparisons": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "introducer": introducer,
            "role": role,
            "introduced_performance": 2,
            "introduced_other": 3,
            "p_value": 0.2,
            "cliffs_delta": 0.4,
            "magnitude": "medium",
        }
        for introducer, role in (("latest", "result"), ("earliest", "sensitivity"))
    ],
    "marts.bug_metrics": [
        bug_metrics(7),
        bug_metrics(8, **UNFIXED),
        bug_metrics(9, **UNFIXED, state="open"),
        bug_metrics(10, comments=0, commentators=0, hours_to_first_comment=None),
        bug_metrics(11, state="open", is_fixed=False, fix_time_days=None),
    ],
    "marts.performance_probability_monthly": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "month": "2020-03",
            "bug_reports": 2,
            "labelled": 1,
            "classified": 1,
            "labelled_and_classified": 1,
            "expected_performance_bugs": 1.0,
            "corrected_performance_bugs": None,
            "judged_bug_reports": None,
            "model_version": "00000000",
        }
    ],
    "marts.bug_areas": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "number": number,
            "month": "2020-03",
            "area": area,
            "share": share,
            "area_source": source,
            "evidence_count": count,
            "evidence": evidence,
            "area_sources": [] if source is None else [source],
            "is_performance": True,
        }
        for number, area, share, source, count, evidence in (
            (7, "data", 0.5, "label", 1, "module: data"),
            (7, "nn", 0.5, "label", 1, "module: nn"),
            (8, "unknown", 1.0, None, 0, None),
        )
    ],
    "marts.performance_work_monthly": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "area": "all",
            "month": "2020-03",
            "is_complete": True,
            "reports": 3,
            "fixes_with_report": 1,
            "fixes_without_report": 1,
            "optimisations": 2,
            "guards": 1,
            "performance_changes": 4,
            "all_changes": 40,
            "work_percentage": 10.0,
        }
    ],
    "marts.area_monthly": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "area": "nn",
            "month": "2020-03",
            "is_complete": True,
            "opened_performance": 1,
            "opened_total": 2,
            "weight_opened": 1.5,
            "opened_percentage": 50.0,
            "open_performance": 1,
            "open_total": 2,
            "open_percentage": 50.0,
            "newly_fixed_performance": 0,
            "newly_fixed_total": 0,
            "triaged_total": 1,
            "median_hours_to_triage": 2.0,
            "answered_total": 1,
            "median_hours_to_first_comment": 3.0,
            "timed_fixes": 0,
            "median_fix_time_days": None,
        }
    ],
    "marts.hot_spots": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "code_unit": unit,
            "name": f"package/nn/layer.py{method}",
            "path": "package/nn/layer.py",
            "area": "package/nn",
            "performance_fixes": 2,
            "fixes": 3,
            "first_fixed_at": at(2),
            "last_fixed_at": at(9),
            "commits_between": between,
            "churn_between": between,
            "removed_lines": between,
            "mean_age_of_removed_lines_days": None if between is None else 4.5,
        }
        for unit, method, between in (("file", "", 6), ("method", "::forward( self )", None))
    ],
    "marts.bug_environments": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "number": 7,
            "month": "2020-03",
            "environment_aspect": "device",
            "environment_value": value,
            "stated_in": "text",
            "statement": "slower on the GPU than on a CPU",
            "is_performance": True,
        }
        for value in ("cpu", "gpu")
    ],
    "marts.activity": [activity("2020-03", "2020-03")],
    "marts.trend_monthly": [
        trend_month("2020-01", **NOTHING_YET),
        trend_month("2020-02"),
        trend_month("2020-03"),
    ],
    "marts.dataset_breakdown": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "is_performance": is_performance,
            "open": 0,
            "closed": 3,
            "fixed": 2,
        }
        for is_performance in (True, False)
    ],
    "analysis.trend_tests": [
        trend_test("open"),
        trend_test(
            "fixed",
            n=1,
            n_pairs=0,
            n_positive=0,
            p_value=None,
            odds_ratio_per_year=None,
            odds_ratio_low=None,
            odds_ratio_high=None,
            is_too_few=True,
        ),
        flow_test("opened"),
    ],
    "analysis.group_comparisons": [
        comparison("fix_size"),
        comparison("comments", cliffs_delta=-0.4, magnitude="medium"),
        comparison(
            "fix_time_days",
            n_performance=0,
            p_value=None,
            p_value_clustered=None,
            cliffs_delta=None,
            magnitude=None,
            is_too_few=True,
            too_few_reason="too few to compare",
        ),
    ],
}

PARAMETERS: dict[str, Any] = {
    "repository": REPOSITORY,
    "month": MONTH,
    "forum": FORUM,
    "tag_set": TAG_SET,
    "issue_numbers": [7, 8, 9, 10],
    "commit_shas": [SHA, OTHER_SHA],
    "pull_requests": [12, 13],
    "least_readable_share": 1.0,
    "question_ids": [1, 2, 3],
    "post_ids": [1, 2, 3, 11, 12],
    "rule_version": RULE_VERSION,
}

QUARTER, FINDING = "2020-Q1", "f" + 16 * "0"
TIMED = (QUARTER, FINDING, ALERT)
TEXTS = (
    SHA,
    MONTH,
    "{}",
    REPOSITORY,
    "0" * 64,
    RULE_VERSION,
    "text",
    "1",
    "#7",
    REGRESSION,
    *TIMED,
)


def completed(table: str, row: Row) -> Row:
    """``row`` with a good value in each column of ``table`` that it leaves out."""
    columns = table_of(table).column
    whole = {**{name: _good(column, row) for name, column in columns.items()}, **row}
    return {name: _moment(whole[name], column.type) for name, column in columns.items()}


def _moment(value: object, kind: str) -> object:
    is_text = isinstance(value, str) and kind == "TIMESTAMP WITH TIME ZONE"
    return datetime.fromisoformat(str(value)) if is_text else value


def _good(column: Column, row: Row) -> object:
    if column.nullable:
        return None
    if column.values is not None:
        return column.values[0]
    if column.type == "VARCHAR":
        return next(text for text in TEXTS if re.fullmatch(column.pattern or ".*", text))
    if column.type in {"BIGINT", "DOUBLE", "INTEGER"}:
        return row.get(str(column.min), 0) if isinstance(column.min, str) else column.min or 0
    plain = {"BOOLEAN": False, "TIMESTAMP WITH TIME ZONE": at(1)}
    return plain.get(column.type, [])
