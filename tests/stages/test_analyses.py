"""Tables of statistics: what their declarations name is there, and fits."""

from inspect import signature

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import Analysis, declared, read_table
from perf_assets.schema.models import dependencies
from perf_assets.schema.models.dependencies import analyses
from perf_assets.stages.transform import analyses as module
from perf_assets.stages.transform.analyses import function_of

COLUMNS = {"n": {"type": "BIGINT", "description": "A number."}}
CONTENT = {"description": "A table.", "key": ["n"], "columns": COLUMNS}
ANALYSIS = {"function": "perf_assets.core.analyses.new.new", "reads": {"marts.bug_metrics": None}}


@pytest.mark.parametrize("table", analyses())
def test_the_function_takes_the_tables_that_the_declaration_reads(table: str) -> None:
    signature(function_of(table)).bind(*analyses()[table].reads)


def test_a_function_that_is_not_there_is_named_with_its_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for function in ("perf_assets.core.analyses.new.new", "perf_assets.core.analyses.trends.new"):
        declaration = Analysis(function=function, reads={"marts.bug_metrics": None})
        monkeypatch.setattr(module, "analyses", lambda known=declaration: {"analysis.new": known})
        with pytest.raises(PerfAssetsError, match=rf"analysis\.new is declared with {function}: "):
            function_of("analysis.new")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("analysis.new", CONTENT, "have the key analysis"),
        ("raw.new", {**CONTENT, "analysis": ANALYSIS}, "no others do"),
        (
            "analysis.new",
            {**CONTENT, "analysis": {**ANALYSIS, "function": "os.system"}},
            "function",
        ),
        ("analysis.new", {**CONTENT, "analysis": {**ANALYSIS, "reads": {}}}, "reads"),
    ],
)
def test_tables_of_statistics_alone_say_how_they_are_computed(
    name: str, content: dict[str, object], reason: str
) -> None:
    with pytest.raises(PerfAssetsError, match=reason):
        read_table(name, content, {}, "new.yml")
    read_table("analysis.new", {**CONTENT, "analysis": ANALYSIS}, {}, "new.yml")


@pytest.mark.parametrize(
    ("reads", "reason"),
    [
        ({"marts.bug_metric": None}, r"reads marts\.bug_metric: did you mean marts\.bug_metrics\?"),
        ({"marts.bug_metrics": ["nr"]}, r"reads marts\.bug_metrics\.nr: "),
    ],
)
def test_what_is_read_is_declared(
    monkeypatch: pytest.MonkeyPatch, reads: dict[str, list[str] | None], reason: str
) -> None:
    content = {**CONTENT, "analysis": {**ANALYSIS, "reads": reads}}
    tables = {**declared(), "analysis.new": read_table("analysis.new", content, {}, "new.yml")}
    monkeypatch.setattr(dependencies, "declared", lambda: tables)
    with pytest.raises(PerfAssetsError, match=reason):
        dependencies.analyses.__wrapped__()
