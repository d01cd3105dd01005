"""Figures of performance problems: symptoms, root causes and stages, alone and crossed."""

import polars as pl

from perf_assets.base.sanitize import escape_text, in_words
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures.drawing import COOL, LINE, OTHER, Spec
from perf_assets.reports.figures.figure import Figure, wilson_limits
from perf_assets.reports.figures.panels import ROW, WIDTH, colored, lengths, values

WHOSE = "forum || case dataset when 'replication' then ' (as published)' else '' end"
ASPECTS = ("symptom", "root_cause", "introducing_stage", "exposing_stage")
"""What is distributed, in the order of the study's questions."""

DISTRIBUTION = f"""
select
    {WHOSE} as whose, aspect, counted, category, subcategory, problems, posts, total_problems,
    case when total_problems >= {CURVE} then percent end as percent,
    {wilson_limits("problems", f"case when total_problems >= {CURVE} then total_problems end")}
from marts.problem_distribution
where dataset = 'live' and counted <> 'any_symptom'
order by
    whose, list_position({list(ASPECTS)}, aspect), counted,
    max(case when subcategory is null then problems end)
        over (partition by whose, aspect, counted, category) desc,
    category, subcategory is not null, problems desc, subcategory
"""
DISTRIBUTION_VERDICTS = f"""
select whose, printf(
    '%d problems by %s: %s', any_value(total_problems), replace(aspect, '_', ' '),
    string_agg(
        category || ' ' || problems
            || coalesce(printf(' (%.0f %% [%.0f, %.0f])', percent, low, high), ''),
        ', ' order by problems desc, category
    )
)
from ({DISTRIBUTION.strip()})
where subcategory is null
group by whose, aspect
order by whose, list_position({list(ASPECTS)}, aspect)
"""
SYMPTOMS = f"""
select
    {WHOSE} as whose, symptom, cause, problems, posts, total_problems,
    sum(problems) over (partition by whose, symptom) as of_symptom,
    sum(problems) over (partition by whose, cause) as of_cause
from marts.symptoms_by_cause
where dataset = 'live' and counted = 'first_symptom' and code_level = 'subcategory'
order by whose, problems desc, symptom, cause
"""
STAGES = f"""
with crossed as (
    select *, {WHOSE} as whose
    from marts.causes_by_stage
    where dataset = 'live' and code_level = 'subcategory'
),

stages as (
    select whose, 'introducing' as stage_of, cause, introducing_stage as stage, problems,
        total_problems
    from crossed
    union all
    select whose, 'exposing', cause, exposing_stage, problems, total_problems
    from crossed
)

select
    whose, stage_of, cause, stage, cast(sum(problems) as bigint) as problems,
    any_value(total_problems) as total_problems
from stages
group by whose, stage_of, cause, stage
order by whose, stage_of desc, problems desc, cause, stage
"""


def _most(rows: str, pair: str, group: str) -> str:
    """The verdicts of a crossing: the three pairs that most problems are of."""
    return f"""
select whose, printf(
    '%d problems; most often %s', any_value(total_problems),
    string_agg(printf('{pair} (%d)', {group}, problems), '; ' order by problems desc, {group})
)
from (
    select *, row_number() over (partition by whose order by problems desc, {group}) as place
    from ({rows.strip()})
    {"where stage_of = 'introducing'" if "stage_of" in rows else ""}
)
where place <= 3
group by whose
order by whose
"""


SYMPTOM_VERDICTS = _most(SYMPTOMS, "%s by %s", "symptom, cause")
STAGE_VERDICTS = _most(STAGES, "%s, which comes in at %s", "cause, stage")


def distributions(rows: pl.DataFrame) -> list[Spec]:
    """A panel an aspect: problems by category, those of a sub-category below it."""
    return [
        lengths(
            f"{whose}: {in_words(str(aspect))}",
            part.select(
                what=pl.when(pl.col("subcategory").is_null())
                .then("category")
                .otherwise(pl.format("{}: {}", "category", "subcategory")),
                value="problems",
            ),
            "problems",
        )
        for (whose, aspect), part in rows.group_by("whose", "aspect", maintain_order=True)
        if part["total_problems"][0] >= CURVE
    ]


def symptoms(rows: pl.DataFrame) -> list[Spec]:
    """A heat map of symptoms (across) by root causes, of each forum."""
    return [
        heat_map(str(whose), part, "cause", "symptom")
        for (whose,), part in rows.group_by("whose", maintain_order=True)
        if part["total_problems"][0] >= CURVE
    ]


def stages(rows: pl.DataFrame) -> list[Spec]:
    """Heat maps of root causes by the stage at which they come in, and are noticed."""
    return [
        heat_map(f"{whose}: {stage_of} stage", part, "cause", "stage")
        for (whose, stage_of), part in rows.group_by("whose", "stage_of", maintain_order=True)
        if part["total_problems"][0] >= CURVE
    ]


# Of no theme: a page has variables for the colours of these, and no scale can mix two variables.
FEW, MANY, ON_FEW = "#eff6ff", "#1e40af", "#111827"


def heat_map(title: str, rows: pl.DataFrame, down: str, across: str) -> Spec:
    """Problems of each pair of codes, the number in its cell; codes by category."""
    drawn = rows.select(pl.col(down).alias("down"), pl.col(across).alias("across"), "problems")

    def place(name: str, **axis: object) -> Spec:
        return {
            "field": name,
            "type": "nominal",
            "sort": drawn[name].unique().sort().to_list(),
            "title": None,
            "axis": {"domain": False, "ticks": False, "labelLimit": 300, **axis},
        }

    most = max(drawn["problems"].to_list())
    cells = "; ".join(f"{first}, {second}: {n}" for first, second, n in drawn.head(5).iter_rows())
    return {
        "title": escape_text(title),
        "description": escape_text(f"Problems by {down} and {across}, most often {cells}"),
        "data": {"values": values(drawn)},
        "width": max(WIDTH, ROW * 2 * drawn["across"].n_unique()) - 60,
        "height": ROW * drawn["down"].n_unique(),
        "encoding": {
            "x": place("across", labelAngle=-40),
            "y": place("down"),
        },
        "layer": [
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "color": {
                        "field": "problems",
                        "type": "quantitative",
                        "scale": {"range": [FEW, MANY], "domain": [0, most]},
                        "legend": None,
                    },
                    "tooltip": [{"field": name} for name in ("down", "across", "problems")],
                },
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "problems"},
                    "color": {
                        "condition": {"test": f"datum.problems > {most / 2}", "value": "white"},
                        "value": ON_FEW,
                    },
                },
            },
        ],
    }


BENCHMARK = """
with statuses as (
    select cause_category as cause, unnest([
        {'approach': 'profiler', 'status': profiler_status},
        {'approach': 'XLA', 'status': xla_status},
        {'approach': 'documentation', 'status': documentation_status}
    ], recursive := true)
    from replication.problems
    where profiler_status is not null
)

select approach, status, cause, count(*) as problems
from statuses
group by approach, status, cause
order by
    list_position(['profiler', 'XLA', 'documentation'], approach),
    list_position(['partly_solved', 'applied', 'not_solved', 'not_applied'], status),
    problems desc, cause
"""
BENCHMARK_VERDICTS = f"""
select 'of the reproduced problems', string_agg(
    printf(
        '%s %s %d of %d to which it was applied (to %d it was not)', approach,
        case when approach = 'documentation' then 'helped with' else 'solved in part' end,
        solved, tried, others
    ), '; ' order by list_position(['profiler', 'XLA', 'documentation'], approach)
)
from (
    select
        approach,
        coalesce(sum(problems) filter (where status in ('partly_solved', 'applied')), 0) as solved,
        coalesce(sum(problems) filter (where status <> 'not_applied'), 0) as tried,
        coalesce(sum(problems) filter (where status = 'not_applied'), 0) as others
    from ({BENCHMARK.strip()})
    group by approach
)
having count(*) > 0
"""
STATUSES = {"solved in part, or helped": COOL, "not solved": OTHER, "not applied": LINE}


def benchmark(rows: pl.DataFrame) -> list[Spec]:
    """A bar an approach, a part a status; its problems counted over all root causes."""
    (solved, *_), order = STATUSES, {name: index for index, name in enumerate(STATUSES)}
    color = pl.when(pl.col("status").is_in(["partly_solved", "applied"])).then(pl.lit(solved))
    drawn = rows.with_columns(color=color.otherwise(pl.col("status").str.replace("_", " ")))
    counts = drawn.group_by("approach", "color", maintain_order=True).agg(pl.sum("problems"))
    sentence = "; ".join(f"{who}, {what}: {n}" for who, what, n in counts.iter_rows())
    counts = counts.with_columns(order=pl.col("color").replace_strict(order))
    return [
        {
            "title": "Reproduced problems by what each approach did",
            "description": sentence,
            "data": {"values": values(counts)},
            "width": WIDTH - 60,
            "height": 3 * ROW,
            "mark": {"type": "bar", "height": 14},
            "encoding": {
                "y": {
                    "field": "approach",
                    "type": "nominal",
                    "sort": rows["approach"].unique(maintain_order=True).to_list(),
                    "title": None,
                },
                "x": {"field": "problems", "type": "quantitative", "title": "problems"},
                "color": colored(list(STATUSES), STATUSES),
                "order": {"field": "order"},
                "tooltip": [{"field": name} for name in ("approach", "color", "problems")],
            },
        }
    ]


BENCHMARK_FIGURE = Figure(
    "What a profiler, XLA and the documentation did for reproduced problems",
    BENCHMARK,
    BENCHMARK_VERDICTS,
    benchmark,
)
FIGURES = {
    "marts.problem_distribution": Figure(
        "Performance problems: symptoms, root causes and stages",
        DISTRIBUTION,
        DISTRIBUTION_VERDICTS,
        distributions,
    ),
    "marts.symptoms_by_cause": Figure(
        "Which symptoms come with which root causes", SYMPTOMS, SYMPTOM_VERDICTS, symptoms
    ),
    "marts.causes_by_stage": Figure(
        "At which stages root causes come in, and are noticed", STAGES, STAGE_VERDICTS, stages
    ),
}
