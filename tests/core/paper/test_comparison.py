"""The verdict on a reproduced figure: the digits that the paper prints decide."""

import pytest

from perf_assets.core.paper.printed import Column, reasons_for
from perf_assets.core.paper.values import verdict_of


@pytest.mark.parametrize(
    ("text", "reproduced", "verdict"),
    [
        ("3,919", 3919.0, "exact"),
        ("3,919", 3918.0, "differs"),
        ("20.34", 20.340405, "within_rounding"),
        ("10.46", 10.4647800926, "within_rounding"),
        ("10.46", 10.4652, "differs"),
        ("10.46", 10.465, "within_rounding"),
        ("9.313e-10", 9.313225746e-10, "within_rounding"),
        ("4.399e-05", 4.398822784e-05, "within_rounding"),
        ("4.398e-05", 4.398822784e-05, "differs"),
        ("p < 0.005", 0.0046776533, "exact"),
        ("p < 0.0001", 0.0001, "differs"),
        ("p = 0.024", 0.02398, "within_rounding"),
        ("0.0", 0.0, "exact"),
        ("4", 4.4999, "within_rounding"),
    ],
)
def test_the_printed_digits_decide_the_verdict(text: str, reproduced: float, verdict: str) -> None:
    assert verdict_of(text, reproduced) == verdict


def test_a_reason_for_larger_values_is_not_one_for_smaller_ones() -> None:
    more = {"when": "larger", "text": "more"}
    column = Column.model_validate({"reason": [more, {"when": "smaller", "text": "less"}, "any"]})
    assert reasons_for(column.reason, 1.0) == ("more", "any")
    assert reasons_for(column.reason, -1.0) == ("less", "any")
    assert reasons_for(Column.model_validate({"reason": more}).reason, -1.0) == ()
