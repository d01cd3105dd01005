"""A finding keeps its name when its line moves, and has another when its line is another."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.finding_id import MOST_CHARACTERS, identified, identity
from perf_assets.lint.findings import Context, Finding, Severity

RULES = ("sequential-map", "map-before-batch")
CODES = ("ds = ds.map(f)", "return ds.map(g)", "x = tf.constant(1)")

# What stands in a file, from the top: other lines, and lines with a finding of some rules.
Line = tuple[str, tuple[str, ...]]
lines = st.lists(
    st.one_of(
        st.tuples(st.just("pass"), st.just(())),
        st.tuples(st.sampled_from(CODES), st.sets(st.sampled_from(RULES), min_size=1).map(tuple)),
    ),
    max_size=12,
)


def finding(line: int, rule: str, column: int = 1) -> Finding:
    span = (line, column, line, column + 5)
    return Finding(*span, rule, Severity.NOTE, Context.LIBRARY, "look at it")


def names(text: list[Line], path: str = "a.py", order: random.Random | None = None) -> list[str]:
    """The names of all findings in a file that holds ``text``."""
    found = [
        (finding(number, rule), code)
        for number, (code, rules) in enumerate(text, 1)
        for rule in rules
    ]
    if order is not None:
        order.shuffle(found)
    found_ids = identified([one for one, _ in found], [code for _, code in found])
    return [identity(path, one.finding.rule, one.code, one.earlier_duplicates) for one in found_ids]


@given(text=lines)
def test_no_two_findings_of_a_file_have_one_name(text: list[Line]) -> None:
    assert len(set(names(text))) == sum(len(rules) for _, rules in text)


@given(text=lines, extra=st.lists(st.integers(0, 12)), indent=st.text(" \t", max_size=3))
def test_other_lines_and_indentation_change_no_name(
    text: list[Line], extra: list[int], indent: str
) -> None:
    moved = [(indent + code + indent, rules) for code, rules in text]
    for span in extra:
        moved.insert(min(span, len(moved)), ("pass", ()))
    assert names(moved) == names(text)


@given(text=lines, order=st.randoms(use_true_random=False))
def test_names_do_not_depend_on_the_order_in_which_findings_are_reported(
    text: list[Line], order: random.Random
) -> None:
    assert names(text, order=order) == names(text)


@given(text=lines, more=lines)
def test_what_is_added_leaves_the_others_and_brings_as_many_new_names(
    text: list[Line], more: list[Line]
) -> None:
    before, after = set(names(text)), set(names([*more, *text]))
    assert before <= after
    assert len(after - before) == sum(len(rules) for _, rules in more)


@given(text=lines)
def test_another_path_gives_other_names(text: list[Line]) -> None:
    assert not set(names(text)) & set(names(text, "b.py"))


@pytest.mark.parametrize(
    "other",
    [
        ("b.py", "sequential-map", "ds.map(f)", 0),
        ("a.py", "map-before-batch", "ds.map(f)", 0),
        ("a.py", "sequential-map", "ds.map(g)", 0),
        ("a.py", "sequential-map", "ds.map(f)", 1),
    ],
)
def test_path_rule_text_and_place_each_make_another_name(other: tuple[str, str, str, int]) -> None:
    assert identity(*other) != identity("a.py", "sequential-map", "ds.map(f)", 0)


def test_a_name_is_the_same_on_every_machine_and_no_number_to_a_spreadsheet() -> None:
    # echo -ne 'sequential-map\0a.py\0ds.map(f)\00' | sha256sum
    assert identity("a.py", "sequential-map", "ds.map(f)", 0) == "f322e293f81443eb3"


def test_a_very_long_line_is_known_by_its_beginning() -> None:
    long = "x" * MOST_CHARACTERS
    (one,) = identified([finding(1, RULES[0])], [f"  {long}yyy"])
    assert one.code == long
