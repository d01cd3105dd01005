"""Treemaps: rectangles fill their box, are as large as their sizes, and need not be there."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.reports.figures.drawing import svg
from perf_assets.reports.figures.treemap import Box, squarified, treemap

# The example of Bruls, Huizing and van Wijk (2000), figure 3: the first row has 6 and 6.
SIZES = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0]


def test_the_example_of_the_paper_is_laid_out_as_there() -> None:
    boxes = squarified(SIZES, Box(0, 0, 6, 4))
    assert boxes[:4] == [
        Box(0, 0, 3, 2),
        Box(0, 2, 3, 2),
        Box(3, 0, pytest.approx(12 / 7), pytest.approx(7 / 3)),
        Box(pytest.approx(3 + 12 / 7), 0, pytest.approx(9 / 7), pytest.approx(7 / 3)),
    ]


@given(
    st.lists(st.integers(1, 10_000), max_size=40),
    st.floats(1, 1_000),
    st.floats(1, 1_000),
)
def test_rectangles_are_in_proportion_and_within_the_box(
    sizes: list[int], width: float, height: float
) -> None:
    sizes.sort(reverse=True)
    boxes = squarified(sizes, Box(0, 0, width, height))
    assert len(boxes) == len(sizes)
    for size, box in zip(sizes, boxes, strict=True):
        share = size / sum(sizes)
        assert box.width * box.height == pytest.approx(share * width * height, rel=1e-6)
        assert -1e-6 <= box.x <= box.x + box.width <= width * (1 + 1e-6)
        assert -1e-6 <= box.y <= box.y + box.height <= height * (1 + 1e-6)


def test_a_treemap_draws_its_groups_and_names_and_says_them() -> None:
    rows = pl.DataFrame(
        [
            {"group": group, "what": f"{group}/file{n}.py", "size": 9 - n, "shade": shade}
            for group in ("src/nn", "src/io")
            for n, shade in enumerate((12.5, None, 400.0))
        ]
    )
    panel = treemap("owner/name", rows, "fixes", "age, days")
    drawn = svg(panel)
    assert all(
        text in drawn for text in ("owner/name", "src/nn", "src/io", "file0.py", "age, days")
    )
    assert "src/nn/file0.py 9" in panel["description"]
    one = rows.head(1).with_columns(shade=pl.lit(None, dtype=pl.Float64))
    assert "file0.py" in svg(treemap("owner/name", one, "fixes", "age, days"))
