"""study.toml: what is accepted, and how what is not accepted is named."""

from pathlib import Path
from typing import get_args

import pytest

from perf_assets.core.linking.links import APPROACHES
from perf_assets.core.paper import constants as paper
from perf_assets.errors import PerfAssetsError
from perf_assets.months import add_months, last_full_month, months_between
from perf_assets.study import Until, load_study

REPOSITORY = '[[repositories]]\nname = "owner/name"\nstart = "2020-01"\n'
MINIMAL = f'name = "mine"\n{REPOSITORY}'


def written(directory: Path, text: str) -> Path:
    path = directory / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_five_lines_make_a_study(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, MINIMAL))
    repository = study.repositories[0]
    assert (repository.name, repository.start, repository.trend_start) == (
        "owner/name",
        "2020-01",
        "2020-04",
    )
    assert repository.git == "https://github.com/owner/name.git"
    assert repository.end == last_full_month()
    assert study.rules.keywords == paper.KEYWORDS
    assert study.count_approaches == APPROACHES
    assert study.verify_months == 6
    assert study.close_look


def test_a_run_may_leave_out_the_close_look_or_take_it_whatever_the_study_says(
    tmp_path: Path,
) -> None:
    for text, wanted in (("", True), ("close_look = false\n", False)):
        study = load_study(written(tmp_path, text + MINIMAL))
        assert study.close_look is wanted
        looks = {until: study.as_far_as(until).close_look for until in get_args(Until)}
        assert looks == {"labels": wanted, "links": False, "details": True, "published": wanted}


def test_paths_are_relative_to_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "issues.jsonl").touch()
    study = load_study(written(tmp_path, MINIMAL + 'git = "repo.git"\ncorpus = "corpus"\n'))
    assert study.repositories[0].git == str(tmp_path / "repo.git")
    assert study.repositories[0].corpus == tmp_path / "corpus"


def test_the_packaged_study_is_that_of_the_paper() -> None:
    study = load_study("dl-frameworks")
    assert [(r.name, r.start, r.trend_start) for r in study.repositories] == [
        ("pytorch/pytorch", "2016-08", "2016-12"),
        ("tensorflow/tensorflow", "2015-11", "2016-02"),
    ]
    assert study.rules.performance_labels == ("performance", "module: memory usage")
    assert study.count_approaches == paper.APPROACHES == ("url", "id")


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (MINIMAL + "colour = 1\n", "repositories[1].colour", "unknown key"),
        ("color = 1\n" + MINIMAL, "color", "unknown key"),
        ('keyword = ["slow"]\n' + MINIMAL, "keyword", "did you mean keywords?"),
        (MINIMAL + 'ends = "2021-01"\n', "repositories[1].ends", "did you mean end?"),
        ('count_approaches = ["urls"]\n' + MINIMAL, "count_approaches[1]", "did you mean url?"),
        ('keywords = "slow"\n' + MINIMAL, "keywords", "a list is needed here"),
        (MINIMAL.replace("owner/name", "a"), "repositories[1].name", "'a'"),
        (MINIMAL.replace("owner/name", "a/b/c"), "repositories[1].name", "'a/b/c'"),
        (MINIMAL.replace("owner/name", "../x"), "repositories[1].name", "'../x'"),
        (MINIMAL.replace("owner/name", "a/.."), "repositories[1].name", "'a/..'"),
        (MINIMAL.replace("owner/name", "a/b "), "repositories[1].name", "'a/b '"),
        (MINIMAL.replace("2020-01", "2020-13"), "repositories[1].start", "'2020-13'"),
        (MINIMAL.replace('"2020-01"', "2020"), "repositories[1].start", "2020"),
        (MINIMAL.replace("2020-01", "2999-01"), "repositories[1]", "not over"),
        (
            MINIMAL + 'trend_start = "2019-12"\n',
            "repositories[1]",
            "trend_start 2019-12 is before start",
        ),
        (MINIMAL + 'end = "2019-12"\n', "repositories[1]", "end 2019-12 is before start"),
        (MINIMAL + REPOSITORY, "repositories", "twice"),
        (MINIMAL + REPOSITORY.replace("owner", "OWNER"), "repositories", "twice"),
        ('name = "x"\n', "repositories", "missing"),
        (REPOSITORY, "name", "missing"),
        (MINIMAL.replace('start = "2020-01"', ""), "repositories[1].start", "missing"),
        ('keywords = ["slow", ""]\n' + MINIMAL, "keywords", "blank"),
        ('close_look = "no"\n' + MINIMAL, "close_look", "true or false is needed here ('no')"),
        ("close_looks = true\n" + MINIMAL, "close_looks", "did you mean close_look?"),
        ("verify_months = 0\n" + MINIMAL, "verify_months", "greater than or equal to 1 (0)"),
        ('verify_months = "6"\n' + MINIMAL, "verify_months", "'6'"),
        ('count_approaches = ["guess"]\n' + MINIMAL, "count_approaches", "'guess'"),
        (MINIMAL + 'corpus = "nowhere"\n', "repositories[1].corpus", "no directory"),
        (
            MINIMAL + 'github_url = "https://t0ken@host"\n',
            "repositories[1].github_url",
            "GITHUB_TOKEN",
        ),
        (
            MINIMAL + 'git = "https://t0ken@host/x.git"\nend = "2019-12"\n',
            "repositories[1]",
            "end 2019-12 is before start 2020-01",
        ),
        ("name = \n", "", "TOML"),
    ],
)
def test_a_wrong_study_is_refused_naming_file_key_and_reason(
    tmp_path: Path, text: str, key: str, reason: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(PerfAssetsError) as raised:
        load_study(path)
    message = str(raised.value)
    assert message.startswith(f"{path}: {key}")
    assert reason in message
    assert "\n" not in message
    assert "t0ken" not in message


def test_a_study_that_is_not_there_is_said_so() -> None:
    with pytest.raises(PerfAssetsError, match=r"nowhere\.toml.*dl-frameworks, sample"):
        load_study("nowhere.toml")


def test_months_count_across_years() -> None:
    assert add_months("2020-01", -1) == "2019-12"
    assert months_between("2019-11", "2020-02") == ["2019-11", "2019-12", "2020-01", "2020-02"]
    assert months_between("2020-02", "2020-01") == []
