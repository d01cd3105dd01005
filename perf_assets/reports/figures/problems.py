"""Figures of performance problems: symptoms, root causes and stages, alone and crossed."""

import polars as pl

from perf_assets.base.sanitize import escape_text, in_words
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures.drawing import COOL, LINE, OTHER, Spec
from perf_assets.reports.figures.panels import ROW, WIDTH, colored, lengths, values


def distributions(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel an aspect: problems by category, those of a sub-category below it."""
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
    """Return a heat map of symptoms (across) by root causes, of each forum."""
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


STATUSES = {"solved in part, or helped": COOL, "not solved": OTHER, "not applied": LINE}


def benchmark(rows: pl.DataFrame) -> list[Spec]:
    """Return a bar an approach, a part a status; its problems counted over all root causes."""
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
