"""Agreement of raters against published examples and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

from perf_assets.core.statistics.agreement import (
    cohens_kappa,
    fleiss_kappa,
    reading_of_kappa,
    wilson_interval,
)

# Fleiss (1971), table 1: six psychiatrists' diagnoses of 30 patients, one digit a rater; the data
# "diagnoses" of R's irr, whose kappam.fleiss prints kappa = 0.43, z = 17.7.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""

pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40)


def table_of(a, b):
    names = sorted({*a, *b})
    return np.array([[list(zip(a, b, strict=True)).count((x, y)) for y in names] for x in names])


def test_wilson_interval_of_the_verified_sample_of_the_study():
    # 141 of 160 labelled performance bugs were true; limits by statsmodels.
    result = wilson_interval(141, 160)
    assert result.share == pytest.approx(0.8813, abs=5e-5)
    assert (result.low, result.high) == pytest.approx(
        proportion_confint(141, 160, method="wilson"), rel=1e-12
    )


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_agrees_with_statsmodels_and_holds_the_share(case):
    successes, n = case
    result = wilson_interval(successes, n, confidence=0.9)
    expected = proportion_confint(successes, n, alpha=0.1, method="wilson")
    assert (result.low, result.high) == pytest.approx(expected, abs=1e-12)
    assert 0 <= result.low <= result.share <= result.high <= 1


def test_wilson_interval_of_nothing_is_null():
    result = wilson_interval(0, 0)
    assert (result.n, result.share, result.low, result.high) == (0, None, None, None)


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2)])
def test_wilson_interval_refuses_impossible_counts(successes, n):
    with pytest.raises(ValueError, match="impossible"):
        wilson_interval(successes, n)


def test_cohens_kappa_and_its_interval_agree_with_the_printout_of_sas():
    # SAS PROC FREQ of 19 items in three categories, as stored in statsmodels' own tests.
    counts = {"ab": 4, "ac": 1, "bb": 8, "cb": 1, "cc": 5}
    rated = [pair for pair, count in counts.items() for _ in range(count)]
    result = cohens_kappa([pair[0] for pair in rated], [pair[1] for pair in rated])
    assert result.statistic == pytest.approx(0.4842, abs=5e-5)
    assert result.standard_error == pytest.approx(0.1380, abs=5e-5)
    assert (result.low, result.high) == pytest.approx((0.2137, 0.7547), abs=5e-5)
    assert result.reading == "moderate"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of statsmodels
@given(pairs)
def test_cohens_kappa_agrees_with_statsmodels(rated):
    a, b = [x for x, _ in rated], [y for _, y in rated]
    result = cohens_kappa(a, b)
    if result.expected == 1:
        assert result.statistic is None
        return
    expected = inter_rater.cohens_kappa(table_of(a, b))
    assert result.statistic == pytest.approx(expected.kappa, abs=1e-12)
    assert result.standard_error**2 == pytest.approx(max(expected.var_kappa, 0), abs=1e-12)
    if expected.var_kappa > 1e-12:
        assert result.low == pytest.approx(max(expected.kappa_low, -1))
        assert result.high == pytest.approx(min(expected.kappa_upp, 1))


@given(pairs)
def test_cohens_kappa_depends_on_neither_the_order_of_raters_nor_names_of_categories(rated):
    a, b = [x for x, _ in rated], [y for _, y in rated]
    forth, back = cohens_kappa(a, b), cohens_kappa([ord(y) for y in b], [ord(x) for x in a])
    assert forth.n == back.n
    if forth.statistic is not None:
        assert forth.statistic == pytest.approx(back.statistic)
        assert forth.standard_error == pytest.approx(back.standard_error, abs=1e-7)


def test_raters_who_agree_on_everything_have_kappa_one():
    result = cohens_kappa(["yes", "no", "yes"], ["yes", "no", "yes"])
    assert (result.statistic, result.standard_error, result.reading) == (1.0, 0.0, "almost perfect")


@pytest.mark.parametrize("rated", [[], ["yes", "yes"]])
def test_kappa_is_null_without_items_or_with_one_category_alone(rated):
    result = cohens_kappa(rated, rated)
    assert (result.n, result.statistic, result.low, result.reading) == (len(rated), *[None] * 3)
    several = fleiss_kappa([[category] * 3 for category in rated])
    assert (several.n, several.statistic, several.reading) == (len(rated), None, None)


def test_cohens_kappa_refuses_ratings_of_different_items():
    with pytest.raises(ValueError, match="2 and 1 items"):
        cohens_kappa(["a", "b"], ["a"])


def test_fleiss_kappa_of_the_psychiatric_diagnoses():
    # irr::kappam.fleiss(diagnoses), as stored in statsmodels' own tests: 0.4302445, z 17.65183.
    result = fleiss_kappa(DIAGNOSES.split())
    assert result.statistic == pytest.approx(0.4302445, abs=5e-8)
    assert result.statistic / result.standard_error == pytest.approx(17.65183, abs=5e-6)
    assert result.reading == "moderate"


@given(st.lists(st.text("abc", min_size=4, max_size=4), min_size=1, max_size=20))
def test_fleiss_kappa_agrees_with_statsmodels(ratings):
    result = fleiss_kappa(ratings)
    if result.statistic is not None:
        table = [[item.count(name) for name in "abc"] for item in ratings]
        assert result.statistic == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)


@pytest.mark.parametrize("ratings", [["aa", "aaa"], ["a", "b"]])
def test_fleiss_kappa_refuses_items_with_unequal_or_single_ratings(ratings):
    with pytest.raises(ValueError, match="two or more"):
        fleiss_kappa(ratings)


@pytest.mark.parametrize(
    ("kappa", "reading"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.4, "fair"),
        (0.6, "moderate"),
        (0.61, "substantial"),
        (0.8, "substantial"),
        (0.92, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_kappa_is_read_after_landis_and_koch(kappa, reading):
    assert reading_of_kappa(kappa) == reading
