"""Figures of performance problems and bugs: symptoms, root causes, stages, and what they cost."""

import polars as pl

from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures.drawing import COOL, LINE, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import (
    NARROW,
    PLAIN,
    ROW,
    WIDTH,
    category,
    colored,
    counted,
    lengths,
    panel,
    panels,
    quantity,
    stacked,
)

IMPACTS = {"speed": COOL, "memory": WARM, "both": "#7c3aed"}
UNKNOWN = "impact not given"
CODE = (
    pl.when(pl.col("subcategory").is_null())
    .then("category")
    .otherwise(pl.format("{}: {}", "category", "subcategory"))
)
"""A category, or a sub-category with its category: those of two categories may share a name."""


def causes(rows: pl.DataFrame) -> list[Spec]:
    """Return Table III of the paper, a panel a repository: a bar a root cause, a part an impact."""
    return panels(_causes, rows, "{repository}")


def _causes(repository: str, rows: pl.DataFrame) -> Spec:
    named = rows.with_columns(cause=CODE)
    known = pl.sum_horizontal(pl.col(name).fill_null(0) for name in IMPACTS)
    colors = {**IMPACTS, UNKNOWN: OTHER}
    long = (
        named.select("cause", *IMPACTS, (pl.col("bugs") - known).alias(UNKNOWN))
        .unpivot(list(colors), index="cause", variable_name="color", value_name="bugs")
        .filter(pl.col("bugs") > 0)
        .with_columns(order=pl.col("color").replace_strict({n: i for i, n in enumerate(colors)}))
    )
    axis = counted(max(named["bugs"].to_list())) or {"tickMinStep": 1}
    # A sub-category is indented and named without its category.
    label = (
        "indexof(datum.label, ': ') < 0 ? datum.label : "
        "'– ' + substring(datum.label, indexof(datum.label, ': ') + 2)"
    )
    down = category(
        "cause",
        sort=named["cause"].to_list(),
        title=None,
        axis=PLAIN | {"labelLimit": 300, "labelExpr": label},
    )
    across = quantity("bugs", aggregate="sum", title="bugs", axis={**axis, "format": "d"})
    shown = [name for name in colors if name in set(long["color"])]
    counts = "; ".join(f"{cause} {bugs}" for cause, bugs in named.select("cause", "bugs").rows())
    bars = stacked(down, across, colored(shown, colors), 13)
    description = f"Bugs by root cause: {counts}"
    return panel(repository, description, long, NARROW, ROW * named.height, **bars)


def distributions(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel an aspect: problems by category, those of a sub-category below it."""
    named = _enough(rows).with_columns(what=CODE, value="problems")
    aspect = pl.col("aspect").str.replace_all("_", " ")
    return panels(lengths, named.with_columns(aspect), "{whose}: {aspect}", "problems")


def symptoms(rows: pl.DataFrame) -> list[Spec]:
    """Return a heat map of symptoms (across) by root causes, of each forum."""
    return panels(heat_map, _enough(rows), "{whose}", "cause", "symptom")


def stages(rows: pl.DataFrame) -> list[Spec]:
    """Heat maps of root causes by the stage at which they come in, and are noticed."""
    return panels(heat_map, _enough(rows), "{whose}: {stage_of} stage", "cause", "stage")


def _enough(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("total_problems") >= CURVE)


# Of no theme: a page has variables for the colours of these, and no scale can mix two variables.
FEW, MANY, ON_FEW = "#eff6ff", "#1e40af", "#111827"


def heat_map(title: str, rows: pl.DataFrame, down: str, across: str) -> Spec:
    """Problems of each pair of codes, the number in its cell; codes by category."""
    drawn = rows.select(pl.col(down).alias("down"), pl.col(across).alias("across"), "problems")

    def place(name: str, **axis: object) -> Spec:
        order = drawn[name].unique().sort().to_list()
        return category(name, sort=order, title=None, axis={**PLAIN, "labelLimit": 300, **axis})

    most = max(drawn["problems"].to_list())
    cells = "; ".join(f"{first}, {second}: {n}" for first, second, n in drawn.head(5).iter_rows())
    shade = {"range": [FEW, MANY], "domain": [0, most]}
    is_dark = {"test": f"datum.problems > {most / 2}", "value": "white"}
    return panel(
        title,
        f"Problems by {down} and {across}, most often {cells}",
        drawn,
        max(WIDTH, ROW * 2 * drawn["across"].n_unique()) - 60,
        ROW * drawn["down"].n_unique(),
        encoding={"x": place("across", labelAngle=-40), "y": place("down")},
        layer=[
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "color": quantity("problems", scale=shade, legend=None),
                    "tooltip": [{"field": name} for name in ("down", "across", "problems")],
                },
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "problems"},
                    "color": {"condition": is_dark, "value": ON_FEW},
                },
            },
        ],
    )


STATUSES = {"solved in part, or helped": COOL, "not solved": OTHER, "not applied": LINE}


def benchmark(rows: pl.DataFrame) -> list[Spec]:
    """Return a bar an approach, a part a status; its problems counted over all root causes."""
    (solved, *_), order = STATUSES, {name: index for index, name in enumerate(STATUSES)}
    color = pl.when(pl.col("status").is_in(["partly_solved", "applied"])).then(pl.lit(solved))
    drawn = rows.with_columns(color=color.otherwise(pl.col("status").str.replace("_", " ")))
    counts = drawn.group_by("approach", "color", maintain_order=True).agg(pl.sum("problems"))
    sentence = "; ".join(f"{who}, {what}: {n}" for who, what, n in counts.iter_rows())
    counts = counts.with_columns(order=pl.col("color").replace_strict(order))
    approaches = rows["approach"].unique(maintain_order=True).to_list()
    bars = stacked(
        category("approach", sort=approaches, title=None),
        quantity("problems", title="problems"),
        colored(list(STATUSES), STATUSES),
        14,
    )
    title = "Reproduced problems by what each approach did"
    return [panel(title, sentence, counts, NARROW, 3 * ROW, **bars)]
