"""The rule set performance-2026: what counts where, and what reports of all sorts give."""

import re
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.labelling.labels import Rules, label_issues
from perf_assets.core.labelling.places import LONGEST_READ, places_of
from perf_assets.core.labelling.rule_sets import PERFORMANCE_2026, evidence_by_place
from perf_assets.core.labelling.vocabulary import KINDS, WORDS
from perf_assets.schema import schema_of
from tests.benchmarks.classifier import VERDICTS, judged_reports

RULES = Rules(("performance",), (), (), (), (), rule_set=PERFORMANCE_2026)
FORM = {"is_performance_form": True, "form_name": "Performance", "performance_fields": ["Report"]}


def found(title: str | None, body: str | None = None, **more: Any) -> set[tuple[str, str]]:
    """Return place and match of what counts."""
    signs = evidence_by_place(title, body, more.get("form"), more.get("kinds", ("speed", "memory")))
    return {(place, match) for place, match, counts in signs if counts}


@pytest.mark.parametrize(
    ("title", "word"),
    [
        ("vLLM is SLOWER than before", "slow"),
        ("[Bug]: CUDA out of memory with 24 GB", "out of memory"),
        ("server OOMs at start", "out of memory"),
        ("only 0.4 tokens/s with two requests", "tokens per second"),
        ("TTFT doubled", "time to first token"),
        ("GPU utilisation of 10 %", "utilization"),
        ("drop in performance after 0.8", "degradation"),
        ("takes far too long to load", "takes long"),
        ("VRAM fills up", "vram"),
        ("部署后显存泄漏", "leak"),
        ("推理速度很慢", "slow"),
    ],
)
def test_a_word_of_the_title_counts(title: str, word: str) -> None:
    assert ("title", word) in found(title)


@pytest.mark.parametrize(
    "title",
    [
        "It crashes without any memory leak",
        "No slowdown, but wrong results",
        "Train faster-rcnn with two GPUs",
        "Multi label regression in Caffe",
        "illegal memory access was encountered",
        "[Performance Team] wrong shape",
        "room for flags",
    ],
)
def test_what_is_denied_or_means_something_else_does_not_count(title: str) -> None:
    assert {place for place, _ in found(title)} <= {"title_prefix"}
    assert not any(place == "title" for place, _ in found(title))


def test_the_tag_of_a_title_is_no_word_of_it() -> None:
    assert found("[Performance]: how is the cache stored?") == {("title_prefix", "performance")}
    assert found("perf: cache the plan") == {("title_prefix", "performance")}
    assert found("[Bug]: it crashes") == set()


def test_a_first_paragraph_counts_for_memory_and_for_speed_with_two_words() -> None:
    once = "### Describe it\n\nThe latency is printed wrongly.\n\nAnd it is slow."
    assert found("Wrong output", once) == set()
    twice = "The latency is high and the throughput is low since then."
    assert found("Odd", twice) == {("first_paragraph", w) for w in ("latency", "throughput")}
    memory = "INFO 01-02 starting\n2024-01-02 12:00 loaded\nIt runs out of memory on two GPUs."
    assert found("Odd", memory) == {("first_paragraph", "out of memory")}


def test_later_text_code_and_logs_do_not_count_and_are_named() -> None:
    body = "It fails with this message here.\n\n```\nCUDA out of memory\n```\n\nIt is slow, too."
    signs = list(evidence_by_place("Odd", body, None, KINDS))
    assert {(place, match) for place, match, counts in signs if not counts} == {
        ("body", "out of memory"),
        ("body", "slow"),
    }
    assert not any(counts for *_, counts in signs)


def test_the_form_and_its_filled_field_count() -> None:
    assert found("Odd", None, form=FORM) == {("form", "Performance"), ("form_field", "Report")}
    other = FORM | {"is_performance_form": False, "performance_fields": []}
    assert found("Odd", None, form=other) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_kinds_that_the_study_counts_count(kind: str) -> None:
    title = "It is slow, leaks, and hangs"
    matches = {match for _, match in found(title, kinds=(kind,))}
    assert matches and all(WORDS[match].kind == kind for match in matches)


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("It is slow", None, True),
        (None, None, False),
        ("", "### Report\n\n_No response_", False),
        ("程序崩溃", "运行时显存不足，进程退出", True),
        ("程序崩溃", "运行时报错，输出不对", False),
        ("Slow", "word " * 250_000, True),
        ("Odd", "x" * 1_000_000 + "\n\nout of memory on all of the GPUs", False),  # not read so far
    ],
)
def test_reports_of_all_sorts_have_a_stated_result(
    title: str | None, body: str | None, *, expected: bool
) -> None:
    assert bool(found(title, body)) == expected


@given(st.text(max_size=200), st.text(max_size=300))
def test_places_are_of_bounded_length_and_in_lower_case(title: str, body: str) -> None:
    places = places_of(title, body * 3)
    assert len(places.text) <= 3 * LONGEST_READ
    assert all(place == place.casefold() for place in places[1:])


@pytest.mark.parametrize("name", WORDS)
def test_patterns_mean_the_same_to_python_and_polars(name: str) -> None:
    texts = ["it is slow", "oom", "显存不足", "gpu utilization", "hangs", "20 x slower", "lag", ""]
    pattern = WORDS[name].pattern
    python = [re.search(pattern, text) is not None for text in texts]
    assert pl.Series(texts).str.contains(pattern).to_list() == python


def test_labels_say_where_the_evidence_is() -> None:
    issues = pl.DataFrame(
        {
            "repository": "owner/name",
            "number": [1, 2],
            "title": ["Slow start", "Wrong result"],
            "body": ["It takes minutes.", "Later it hangs and is slow."],
            "author": ["Ann", "Ben"],
            "labels": [[], []],
            "month": "2025-01",
        },
        schema_overrides={"labels": pl.List(pl.String)},
    )
    templates = pl.DataFrame(schema=schema_of("raw.issue_templates"))
    labels, evidence = label_issues(issues, templates, RULES)
    assert dict(labels.schema) == schema_of("labels.performance_labels")
    assert labels["is_performance"].to_list() == [True, False]
    assert labels["strength"].to_list() == ["strong", None]
    assert labels["matched_in"].to_list() == [["title"], []]
    assert ("ignored_keyword", "body", "slow") in evidence.select("rule", "field", "match").rows()


@pytest.mark.slow
@pytest.mark.skipif(not VERDICTS.is_dir(), reason="the judged reports are not here")
@pytest.mark.parametrize(
    ("project", "least"), [("caffe", 0.75), ("incubator-mxnet", 0.8), ("vllm", 0.75)]
)
def test_it_finds_what_people_judged(project: str, least: float) -> None:
    """The 29 keywords of the paper have F1 .46 to .68 on four projects."""
    reports = judged_reports().filter(pl.col("source") == project)
    chosen = [
        bool(found(title, body)) for title, body in reports.select("title", "body").iter_rows()
    ]
    table = reports.with_columns(
        chosen=pl.Series(chosen), truth=pl.col("kind").is_in(["speed", "memory"])
    )

    def weight(condition: pl.Expr) -> float:
        return float(table.filter(condition)["weight"].sum())

    hits = weight(pl.col("chosen") & pl.col("truth"))
    assert 2 * hits / (weight(pl.col("chosen")) + weight(pl.col("truth"))) >= least
