"""The classifier beside the rule: what it learns, why it decides, how good it is elsewhere."""

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.classifier import NAME, PACKAGED, as_bytes, model_of, word_vectors
from perf_assets.core.labelling.classifier.boilerplate import has_sign, without_boilerplate
from perf_assets.core.labelling.classifier.features import places_of_reports, sign_values
from perf_assets.core.labelling.classifier.model import (
    CLASSES,
    Model,
    issue_probabilities,
    score,
)
from perf_assets.core.labelling.classifier.training import (
    evaluate,
    figures,
    fingerprint_of,
    train,
    train_further,
)
from perf_assets.core.labelling.vocabulary import KINDS, WORDS
from tests.benchmarks.classifier import VERDICTS, judged_reports
from tests.effort import some

SIGN_PIECES = ["slow", "SLOWER", "Memory", "OOM", " 2x ", "takes ", "long", "显存", "speed "]
PROJECTS = ("caffe", "incubator-mxnet", "vllm")


def reports(number: int, repository: str = "owner/name", word: str = "kernel") -> pl.DataFrame:
    """Reports of which every third is about performance, and says so in one of two ways."""
    slow = (f"The {word} is slow", f"{word} takes too long since the upgrade")
    other = (f"{word} crashes", f"Wrong shape of the {word}", f"How to install the {word}?")
    return pl.DataFrame(
        {
            "repository": repository,
            "title": [
                f"{slow[i % 2] if i % 3 == 0 else other[i % 3]} number{i}" for i in range(number)
            ],
            "body": [f"Report {i}\n```\nslow\n```" if i % 5 else None for i in range(number)],
            "is_performance": [i % 3 == 0 for i in range(number)],
            "kind": None,
        },
        schema_overrides={"kind": pl.String},
    )


def trained(known: pl.DataFrame) -> Model:
    return train(known, word_vectors())


def test_reports_that_it_had_not_seen_are_distinguished() -> None:
    model = train(reports(90), word_vectors(), "the command")
    unseen = model.description["unseen"]
    assert unseen["area_under_roc"] == 1 and unseen["f1"] > 0.95
    assert model.description["command"] == "the command"
    assert model.share == pytest.approx(1 / 3)
    kinds = score(model, reports(9, word="layer")).select(pl.sum_horizontal(KINDS)).to_series()
    threshold = model.thresholds["speed+memory+hang"]
    assert (kinds >= threshold).to_list() == [i % 3 == 0 for i in range(9)]


def test_kinds_are_told_apart_and_add_up_with_none_to_one() -> None:
    titles = {"speed": "very slow", "memory": "out of memory", "hang": "hangs", "none": "crashes"}
    known = pl.DataFrame(
        [
            {
                "repository": "owner/name",
                "title": f"Layer {i} {words}",
                "body": "",
                "is_performance": kind != "none",
                "kind": kind,
            }
            for kind, words in titles.items()
            for i in range(25)
        ]
    )
    model = trained(known)
    found = score(model, known[::25])
    assert found.columns[:-1] == list(CLASSES[1:])
    for position, kind in enumerate(titles):
        probabilities = dict(zip(CLASSES[1:], found.row(position), strict=False))
        probabilities["none"] = 1 - sum(probabilities.values())
        assert max(probabilities, key=probabilities.__getitem__) == kind
    counted = issue_probabilities(
        model, known.with_row_index("number").with_columns(month=pl.lit("2020-01")), ["hang"]
    )
    assert counted["is_performance"].to_list() == [kind == "hang" for kind in known["kind"]]
    assert counted["probability"].to_list() == counted["hang_probability"].to_list()
    assert set(counted["trained_share"]) == {0.25}


def test_the_words_that_decided_are_named() -> None:
    one = pl.DataFrame({"title": ["Serving got slow"], "body": ["It crashed after the upgrade"]})
    words = score(model_of(), one)["words"][0].to_list()
    assert words[0] == "slow (+)"


def test_training_again_gives_the_same_bytes_whatever_the_order() -> None:
    model = trained(reports(90))
    assert as_bytes(trained(reports(90))) == as_bytes(model)
    assert fingerprint_of(reports(90)[::-1]) == fingerprint_of(reports(90))
    assert model.version.endswith(fingerprint_of(reports(90)))


def test_a_model_goes_on_with_other_reports() -> None:
    first = trained(reports(90))
    titles = pl.when("is_performance").then(pl.lit("after the upgrade")).otherwise(pl.lit("kernel"))
    known = reports(60).with_columns(title=titles)
    further = train_further(first, known)
    assert evaluate(further, known)["area_under_roc"] == 1
    assert further.version == f"{first.version}+{fingerprint_of(known)}"
    assert further.description["began_with"] == first.description


@pytest.mark.parametrize("wanted", [True, False])
def test_too_few_reports_are_refused(*, wanted: bool) -> None:
    few = reports(60).filter((pl.col("is_performance") == wanted) | (pl.int_range(pl.len()) < 9))
    with pytest.raises(PerfAssetsError, match="too few to train on: it takes 10 of each"):
        trained(few)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=4, max_size=60))
def test_figures_are_those_of_another_implementation(cases: list[tuple[float, bool]]) -> None:
    probabilities = np.array([*(one for one, _ in cases), 0.2, 0.8])
    truth = np.array([*(two for _, two in cases), False, True])
    found = figures(probabilities, truth, 0.5)
    chosen = probabilities >= 0.5
    assert found["area_under_roc"] == pytest.approx(roc_auc_score(truth, probabilities), abs=6e-4)
    assert found["f1"] == pytest.approx(f1_score(truth, chosen, zero_division=0), abs=6e-4)
    assert found["recall"] == pytest.approx(recall_score(truth, chosen), abs=6e-4)
    assert found["precision"] == pytest.approx(precision_score(truth, chosen), abs=6e-4)
    assert sum(one["reports"] for one in found["reliability"]) == len(truth)
    assert 0 <= found["calibration_error"] <= 1


def test_code_and_comments_are_not_read() -> None:
    body = "Text\n```python\nslow()\n```\n<!-- memory -->\n~~~\nleak"
    found = places_of_reports(pl.DataFrame({"title": ["T"], "body": [body]}))
    assert "slow" not in found["text"][0] and "leak" not in found["text"][0]
    assert sum(sign_values(found, WORDS).row(0)) == 0


@given(
    st.lists(st.sampled_from(SIGN_PIECES) | st.text(max_size=3), max_size=6).map("".join),
)
@example("\u017flow")
def test_a_text_has_a_sign_where_one_of_the_words_is_found(text: str) -> None:
    expected = any(re.search(word.pattern, text.casefold()) for word in WORDS.values())
    assert has_sign(text) == expected


def test_signs_in_boilerplate_are_not_read() -> None:
    template = "- Does it take more memory than before?\n- Memory in use: \n"
    issues = pl.DataFrame(
        {
            "number": [1, 2],
            "body": [
                f"{template}It leaks memory slowly.\n- Memory in use: 3 GB",
                "- Does it take more memory than before?\n- [x] It is slow",
            ],
            "author": ["Ann", "Ben"],
            "month": ["2020-02", "2020-01"],  # before the template
        }
    )
    templates = pl.DataFrame(
        {
            "sha": ["a" * 40],
            "path": [".github/ISSUE_TEMPLATE.md"],
            "committed_at": [datetime(2020, 2, 1, tzinfo=UTC)],
            "body": [template],
            "month": ["2020-02"],
        }
    )
    first, second = without_boilerplate(issues, templates)["body"]
    assert "Does it take" not in first and "Memory in use" not in first
    assert "It leaks memory slowly." in first and "3 GB" in first
    assert second == issues["body"][1]


def test_probabilities_are_rows_of_the_table() -> None:
    issues = reports(5).with_row_index("number").with_columns(month=pl.lit("2020-01"))
    found = issue_probabilities(model_of(), issues)
    assert found["number"].to_list() == [0, 1, 2, 3, 4] and found["probability"].null_count() == 0
    assert issue_probabilities(model_of(), issues.head(0)).height == 0


def test_the_packaged_model_says_where_it_comes_from(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    assert model.description["reports"] == 1596
    assert model.description["command"] == "python -m tests.benchmarks.classifier"
    assert as_bytes(model) == PACKAGED.read_bytes()


@pytest.mark.parametrize("content", [b"", b"text", PACKAGED.read_bytes()[:-9], b"\x1f\x8b[]"])
def test_a_damaged_model_is_named_with_its_remedy(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(PerfAssetsError, match=r"train again, or delete it") as caught:
        model_of(tmp_path)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(not VERDICTS.is_dir(), reason="the judged reports are not here")
@pytest.mark.parametrize("project", some(*PROJECTS))
def test_it_classifies_reports_of_another_project(project: str) -> None:
    known = judged_reports()
    judged = known.filter(pl.col("source") == project)
    found = evaluate(trained(known.filter(pl.col("source") != project)), judged)
    assert found["area_under_roc"] >= 0.9
    assert found["f1"] >= 0.7
    assert found["calibration_error"] <= 0.06
