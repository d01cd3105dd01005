"""Figures of kinds of questions: the share of each, and how long each waits for its answer."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.core.statistics.minimum_events import COMPARISON, CURVE
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.panels import ROW, WIDTH, colored, estimates, values
from perf_assets.reports.formats import with_words

SHORTEST = 0.01
"""Hours from which on waits are drawn: the axis is logarithmic, and some answers came at once."""

SAYS_MORE = "tag_set <> 'pooled' or count(distinct tag_set) over (partition by forum) > 2"
"""Together is said of several tag sets; of one it is the same again."""

SHARES = f"""
select
    forum, tag_set, kind, question_rank, questions, 100 * question_share as estimate,
    100 * question_share_low as low, 100 * question_share_high as high
from (
    from analysis.question_difficulty
    qualify {SAYS_MORE}
)
where kind not in ('all', 'other')
order by forum, tag_set <> 'pooled', tag_set, question_rank, kind
"""
SHARES_VERDICTS = f"""
select forum || ', ' || tag_set, 'asked most: ' || string_agg(printf(
    '%s (%d of %d questions, %.1f %% [%.1f, %.1f])',
    replace(kind, '_', ' '), questions, cast(round(100 * questions / estimate) as bigint),
    estimate, low, high
), ', ' order by question_rank, kind)
from ({SHARES.strip()})
where question_rank <= 3
group by forum, tag_set
order by forum, tag_set = 'pooled', tag_set
"""

TOGETHER = """
grouped as (
    -- All tag sets of a forum together, each question once in each of its kinds; where there are
    -- kinds, those alone.
    select distinct forum, question_id, kind
    from intermediate.question_groups
    qualify kind <> 'all' or count(*) filter (where kind <> 'all') over (partition by forum) = 0
),

waits as (
    select
        forum, grouped.kind, times.is_accepted,
        case when times.is_accepted then times.hours_to_accepted else times.hours_watched end
            as hours
    from grouped
    inner join intermediate.question_answer_times as times using (forum, question_id)
)
"""
WAITS = f"""
with {TOGETHER.strip()}

select
    forum, kind, count(*) as questions,
    count(*) filter (where is_accepted) as accepted,
    count(*) filter (where not is_accepted) as never_accepted,
    quantile_cont(hours, 0.25) filter (where is_accepted) as lower_quartile_hours,
    quantile_cont(hours, 0.5) filter (where is_accepted) as median_hours,
    quantile_cont(hours, 0.75) filter (where is_accepted) as upper_quartile_hours
from waits
group by forum, kind
order by forum, never_accepted / questions desc, kind
"""
# The estimate of Kaplan and Meier, thinned to twenty steps for each power of ten.
WAITS_DRAWN = f"""
with {TOGETHER.strip()},

ends as (
    select
        forum, kind, greatest(hours, {SHORTEST}) as hours, count(*) as leaving,
        count(*) filter (where is_accepted) as accepted
    from waits
    where hours is not null
    group by all
),

waiting as (
    select *, sum(leaving) over (partition by forum, kind order by hours desc) as number
    from ends
),

steps as (
    select
        forum, kind, hours,
        100 - 100 * exp(sum(ln(greatest(1 - accepted / number, 1e-12))) over (
            partition by forum, kind order by hours
        )) as percent,
        accepted > 0 as is_step,
        sum(accepted) over (partition by forum, kind) as events
    from waiting
),

thinned as (
    select forum, kind, hours, percent
    from steps
    where events >= {CURVE} and is_step
    qualify hours = max(hours) over (partition by forum, kind, floor(20 * log10(hours)))
),

boxes as (
    select
        forum, kind,
        [
            greatest(value, {SHORTEST}) for value in
            quantile_cont(hours, [0.1, 0.25, 0.5, 0.75, 0.9])
        ] as quantiles
    from waits
    where is_accepted and hours is not null
    group by forum, kind
    having count(*) >= {COMPARISON}
)

select forum, kind, hours, percent, null as quantiles from thinned
union all
select forum, kind, null as hours, null as percent, quantiles from boxes
order by forum, kind, hours
"""
WAITS_VERDICTS = f"""
select forum, printf(
    '%s: %d of %d questions never got an accepted answer, as far as they were watched; %s',
    replace(kind, '_', ' '), never_accepted, questions,
    case
        when accepted < {COMPARISON} then 'too few did to say how soon'
        else printf(
            'of those that did, half within %.1f hours and a quarter later than %.1f hours',
            median_hours, upper_quartile_hours
        )
    end
)
from ({WAITS.strip()})
order by forum, never_accepted / questions desc, kind
"""


def shares(rows: pl.DataFrame) -> list[Spec]:
    """The share of each kind, a panel for each tag set."""
    named = with_words(rows.with_columns(what="kind"))
    return [
        estimates(f"{forum}, {tags}", part, "share of the questions, percent")
        for (forum, tags), part in named.group_by("forum", "tag_set", maintain_order=True)
    ]


def waits(rows: pl.DataFrame) -> list[Spec]:
    """For each forum the curves of its kinds, and beside them their boxes."""
    named = with_words(rows.with_columns(color="kind"))
    panels = []
    for (forum,), part in named.group_by("forum", maintain_order=True):
        curve, boxes = part.drop_nulls("percent"), part.drop_nulls("quantiles")
        panels += [] if curve.is_empty() else [_curves(str(forum), curve)]
        panels += [] if boxes.is_empty() else [_boxes(str(forum), boxes)]
    return panels


def _hours(title: str) -> Spec:
    axis = {"format": "~g", "values": [0.01, 0.1, 1, 10, 100, 1000, 10_000], "labelOverlap": True}
    scale = {"type": "log", "nice": False, "padding": 8}
    return {"type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _curves(forum: str, rows: pl.DataFrame) -> Spec:
    kinds = rows["color"].unique(maintain_order=True).to_list()
    last = rows.group_by("color", maintain_order=True).last()
    verdicts = (f"{row['color']} {row['percent']:.1f}" for row in last.iter_rows(named=True))
    measure = "with an accepted answer, percent"
    return {
        "title": escape_text(f"{forum}: share accepted by a time (Kaplan-Meier)"),
        "description": escape_text(f"{measure}, at last: {'; '.join(verdicts)}"),
        "data": {"values": values(rows.select("color", "hours", "percent"))},
        "width": WIDTH,
        "height": 220,
        "mark": {"type": "line", "strokeWidth": 2, "interpolate": "step-after"},
        "encoding": {
            "x": _hours("hours after asking") | {"field": "hours"},
            "y": {"field": "percent", "type": "quantitative", "title": measure},
            "color": colored(kinds),
            "tooltip": [
                {"field": "color", "type": "nominal", "title": "kind"},
                {"field": "hours", "type": "quantitative", "format": ",.3~r"},
                {"field": "percent", "type": "quantitative", "format": ".1f"},
            ],
        },
    }


def _boxes(forum: str, rows: pl.DataFrame) -> Spec:
    """The middle half of the waits as a bar, the middle eight tenths as a line, the median dark."""
    names = ("p10", "p25", "p50", "p75", "p90")
    drawn = rows.select(
        "color",
        *(pl.col("quantiles").list.get(place).alias(name) for place, name in enumerate(names)),
    ).sort("p50", descending=True)
    order = drawn["color"].to_list()
    y: Spec = {"field": "color", "type": "nominal", "sort": order, "title": None}
    y |= {"axis": {"domain": False, "ticks": False, "labelPadding": 6}}
    x = _hours("hours to the answer that was accepted")
    verdicts = (
        f"{row['color']} {row['p50']:.3g} [{row['p25']:.3g}, {row['p75']:.3g}]"
        for row in drawn.iter_rows(named=True)
    )
    tooltip = [
        {"field": "color", "type": "nominal", "title": "kind"},
        *({"field": name, "type": "quantitative", "format": ",.3~r"} for name in names),
    ]
    layers = [
        ({"type": "rule"}, {"x": x | {"field": "p10"}, "x2": {"field": "p90"}}),
        (
            {"type": "bar", "height": 12, "opacity": 0.45},
            {"x": x | {"field": "p25"}, "x2": {"field": "p75"}},
        ),
        ({"type": "tick", "height": 14, "thickness": 3}, {"x": x | {"field": "p50"}}),
    ]
    return {
        "title": escape_text(f"{forum}: waits of those with an accepted answer"),
        "description": escape_text(
            f"hours to the accepted answer, median and quartiles: {'; '.join(verdicts)}"
        ),
        "data": {"values": values(drawn)},
        "width": WIDTH - 60,
        "height": max(44, ROW * len(order)),
        "layer": [
            {"mark": mark, "encoding": {"y": y, "tooltip": tooltip, **encoding}}
            for mark, encoding in layers
        ],
    }


FIGURES = {
    "marts.question_difficulty": Figure("What users ask, by kind", SHARES, SHARES_VERDICTS, shares),
    "intermediate.question_answer_times": Figure(
        "How long each kind of question waits for an accepted answer",
        WAITS,
        WAITS_VERDICTS,
        waits,
        WAITS_DRAWN,
    ),
}
