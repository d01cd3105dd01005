"""How findings come and go: counted by hand, and held to what must be true of any history."""

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.analyses.findings import static_findings
from perf_assets.schema import schema_of, table_of

REPOSITORY = "owner/name"
RULES = ["sequential-map", "loop-invariant-op"]
TREES, FINDINGS = (
    {name: schema_of(table)[name] for name in table_of(table).column if name != "loaded_at"}
    for table in ("raw.scanned_trees", "raw.static_findings")
)
QUARTERS = [f"20{year}-Q{quarter}" for year in range(20, 22) for quarter in range(1, 5)]


def tree(index: int, **changes: Any) -> dict[str, Any]:
    """The tree of a quarter by its place, after that of the one before."""
    row = {
        "repository": REPOSITORY,
        "quarter": QUARTERS[index],
        "month": f"{QUARTERS[index][:4]}-{3 * int(QUARTERS[index][-1]):02d}",
        "sha": f"{index}" * 40,
        "previous_sha": f"{index - 1}" * 40 if index else None,
        "files": 10,
        "rules": RULES,
        "rule_version": "1",
    }
    return dict.fromkeys(TREES) | row | changes


def finding(index: int, name: str, rule: str = RULES[0], **changes: Any) -> dict[str, Any]:
    row = {
        "repository": REPOSITORY,
        "quarter": QUARTERS[index],
        "rule": rule,
        "path": "a.py",
        "previous_path": "a.py",
        "severity": "warning",
        "context": "library",
        "finding_id": name,
        "previous_id": name,
    }
    return dict.fromkeys(FINDINGS) | row | changes


def counted(
    trees: list[dict[str, Any]], findings: list[dict[str, Any]]
) -> dict[tuple[str, str], dict[str, Any]]:
    rows = static_findings(
        pl.DataFrame(findings, schema=FINDINGS), pl.DataFrame(trees, schema=TREES)
    )
    assert rows.schema == schema_of("analysis.static_findings")
    assert rows.select("repository", "quarter", "rule").is_unique().all()
    return {(row["quarter"], row["rule"]): row for row in rows.iter_rows(named=True)}


def flow(row: dict[str, Any]) -> tuple[int | None, ...]:
    return row["findings"], row["new"], row["gone"]


def test_findings_are_counted_by_rule_and_followed_from_quarter_to_quarter() -> None:
    found = counted(
        [tree(0), tree(1), tree(2)],
        [
            finding(0, "a"),
            finding(0, "b", path="b.py", context="test", severity="note"),
            finding(1, "b", path="b.py", previous_path="b.py"),
            finding(1, "c", path="c.py", previous_path="c.py"),
            finding(1, "d", path="d.py", previous_path="d.py"),
            finding(2, "e", path="e.py", previous_path="c.py", previous_id="c"),
        ],
    )
    assert [flow(found[quarter, RULES[0]]) for quarter in QUARTERS[:3]] == [
        (2, None, None),
        (3, 2, 1),
        (1, 0, 2),
    ]
    assert [flow(found[quarter, RULES[1]]) for quarter in QUARTERS[:3]] == [
        (0, None, None),
        (0, 0, 0),
        (0, 0, 0),
    ]
    first = found[QUARTERS[0], RULES[0]]
    assert (first["files_with_findings"], first["in_library_code"], first["warnings"]) == (2, 1, 1)
    assert (first["files_scanned"], first["per_1000_files"]) == (10, 200.0)


def test_a_line_that_is_written_again_is_neither_new_nor_gone() -> None:
    found = counted(
        [tree(0), tree(1)],
        [
            finding(0, "a"),
            finding(0, "b"),
            finding(0, "c", path="c.py"),
            finding(0, "z", RULES[1]),
            finding(1, "d"),
            finding(1, "e", path="moved.py", previous_path="c.py"),
            finding(1, "f", path="f.py", previous_path="f.py"),
        ],
    )
    row = found[QUARTERS[1], RULES[0]]
    assert (*flow(row), row["rewritten"]) == (3, 1, 1, 2)
    row = found[QUARTERS[1], RULES[1]]
    assert (*flow(row), row["rewritten"]) == (0, 0, 1, 0)


def test_a_tree_without_python_has_rows_of_zero_and_no_rate() -> None:
    found = counted([tree(0, files=0)], [])
    assert {(row["findings"], row["per_1000_files"]) for row in found.values()} == {(0, None)}
    assert set(found) == {(QUARTERS[0], rule) for rule in RULES}


def test_quarters_that_other_rules_scanned_or_that_are_not_there_are_not_compared() -> None:
    trees = [tree(0), tree(1, rule_version="2"), tree(3, rule_version="2")]
    found = counted(trees, [finding(0, "a"), finding(1, "b"), finding(3, "c")])
    assert {flow(row)[1:] for row in found.values()} == {(None, None)}


def test_a_repository_is_not_compared_with_another() -> None:
    other = {"repository": "owner/other"}
    rows = static_findings(
        pl.DataFrame([finding(0, "a"), finding(1, "a", **other)], schema=FINDINGS),
        pl.DataFrame([tree(0), tree(1, **other)], schema=TREES),
    )
    assert rows["new"].to_list() == [None] * 4
    assert rows["findings"].sum() == 2


def test_a_rule_that_was_not_asked_yet_has_no_row() -> None:
    found = counted([tree(0, rules=RULES[:1], rule_version="0"), tree(1)], [])
    assert (QUARTERS[0], RULES[1]) not in found
    assert (QUARTERS[1], RULES[1]) in found


def file(name: str) -> str:
    """The file of a finding: some share one."""
    return "ab.py" if name in "ab" else f"{name}.py"


@given(
    history=st.lists(
        st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from(RULES))),
        min_size=1,
        max_size=8,
    )
)
def test_what_is_there_is_what_was_there_with_the_new_and_without_the_gone(
    history: list[set[tuple[str, str]]],
) -> None:
    trees = [tree(index) for index in range(len(history))]
    found = counted(
        trees,
        [
            finding(index, f"{name} {rule}", rule, path=file(name), previous_path=file(name))
            for index, there in enumerate(history)
            for name, rule in sorted(there)
        ],
    )
    for rule in RULES:
        before: int | None = None
        for index, there in enumerate(history):
            row = found[QUARTERS[index], rule]
            assert row["findings"] == sum(1 for _, of in there if of == rule)
            if before is None:
                assert flow(row)[1:] == (None, None)
            else:
                assert row["findings"] == before + row["new"] - row["gone"]
                assert row["gone"] + row["rewritten"] <= before
                assert row["new"] + row["rewritten"] <= row["findings"]
            before = row["findings"]
