"""study.toml: what is accepted, and how what is not accepted is named."""

import json
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import add_months, last_full_month, months_between
from perf_assets.config.people import People
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until, load_study
from perf_assets.core.areas.rules import AreaRules, PathAreas
from perf_assets.core.labelling.labels import Rules, matching_labels
from perf_assets.core.linking.links import APPROACHES
from perf_assets.core.paper import constants as paper
from tests.effort import examples

REPOSITORY = '[[repositories]]\nname = "owner/name"\nstart = "2020-01"\n'
FORUM = """name = "x"
[[forums]]
name = "owner"
tags = { owner = ['x'] }
start = "2020-01"
"""
PAPER = 'rule_set = "paper"\n'
MINIMAL = f'name = "mine"\n{REPOSITORY}'
PEOPLE = f"{MINIMAL}[people]\n"
AREAS = f"{MINIMAL}[repositories.areas]\n"


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
    assert (study.rules.rule_set, study.rules.keywords) == ("performance-2026", ())
    assert study.rules.counted_kinds == ("speed", "memory")
    assert study.count_approaches == APPROACHES
    assert study.reconcile_months == 6
    assert study.analyze_fixes


def test_a_repository_may_have_names_that_it_had_before(tmp_path: Path) -> None:
    text = MINIMAL + 'aliases = ["old/name", "older/title"]\n'
    (repository,) = load_study(written(tmp_path, text)).repositories
    assert repository.aliases == ("old/name", "older/title")


def test_accepts_repositories_of_managed_users(tmp_path: Path) -> None:
    text = MINIMAL.replace("owner/name", "mona-cat_octo/x") + 'aliases = ["octo_admin/x"]\n'
    (repository,) = load_study(written(tmp_path, text)).repositories
    assert (repository.name, repository.aliases) == ("mona-cat_octo/x", ("octo_admin/x",))


def test_a_study_maps_accounts_to_people(tmp_path: Path) -> None:
    text = (
        f'{PEOPLE}addresses = "plain"\nbots = ["ci"]\nsame = [["ada", "ada@x.org"]]\n'
        'different = [["bob", "bob-2"]]\n'
    )
    study = load_study(written(tmp_path, text))
    assert study.people == People(
        addresses="plain",
        bots=("ci",),
        same=(("ada", "ada@x.org"),),
        different=(("bob", "bob-2"),),
    )
    assert load_study(written(tmp_path, MINIMAL)).people.addresses == "hashed"


def test_a_repository_may_say_which_areas_it_has(tmp_path: Path) -> None:
    text = AREAS + (
        'labels = { "module: *" = "*", "module: crash" = "" }\n'
        'files = { "/aten/" = "aten" }\n'
        'roots = ["/torch/", "torch/csrc", "torch"]\n'
        "depth = 2\ncodeowners = true\n"
    )
    (repository,) = load_study(written(tmp_path, text)).repositories
    assert repository.areas == AreaRules(
        labels={"module: *": "*", "module: crash": ""},
        files={"/aten/": "aten"},
        roots=("torch", "torch/csrc"),
        depth=2,
        codeowners=True,
    )
    (plain,) = load_study(written(tmp_path, MINIMAL)).repositories
    (empty,) = load_study(written(tmp_path, AREAS)).repositories
    assert plain.areas == empty.areas == AreaRules()


def test_the_packaged_study_knows_the_areas_of_both_trackers() -> None:
    pytorch, tensorflow = (one.areas for one in load_study("dl-frameworks").repositories)
    labels = ("module: cuda", "oncall: distributed", "module: crash", "triaged")
    assert [pytorch.area_of_label(label) for label in labels] == [
        *("cuda", "distributed"),
        *(None, None),
    ]
    assert [tensorflow.area_of_label(label) for label in ("comp:lite", "type:bug")] == [
        "lite",
        None,
    ]
    paths = {"tensorflow/python/keras/x.py": "tensorflow/python/keras", "torch/nn/x.py": "torch/nn"}
    for rules, (path, area) in zip((tensorflow, pytorch), paths.items(), strict=True):
        assert PathAreas("owner/name", rules).area(path) == (area, "directory")


def test_a_study_may_leave_the_static_checks_of_a_repository_out(tmp_path: Path) -> None:
    for text, wanted in (("", True), ("checks = false\n", False)):
        (repository,) = load_study(written(tmp_path, MINIMAL + text)).repositories
        assert repository.checks is wanted


def test_a_repository_may_be_mined_by_pydriller(tmp_path: Path) -> None:
    for text, wanted in (("", "git"), ('miner = "pydriller"\n', "pydriller")):
        (repository,) = load_study(written(tmp_path, MINIMAL + text)).repositories
        assert repository.miner == wanted


def test_a_run_may_leave_out_the_close_look_or_take_it_whatever_the_study_says(
    tmp_path: Path,
) -> None:
    for text, wanted in (("", True), ("analyze_fixes = false\n", False)):
        study = load_study(written(tmp_path, text + MINIMAL))
        assert study.analyze_fixes is wanted
        looks = {until: study.as_far_as(until).analyze_fixes for until in get_args(Until)}
        assert looks == {
            "labels": wanted,
            "links": False,
            "fix-analysis": True,
            "published": wanted,
        }


def test_paths_are_relative_to_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "issues.jsonl").touch()
    study = load_study(written(tmp_path, MINIMAL + 'git = "repo.git"\ncorpus = "corpus"\n'))
    assert study.repositories[0].git == str(tmp_path / "repo.git")
    assert study.repositories[0].corpus == tmp_path / "corpus"


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("challenges", ["tensorflow", "pytorch", "deeplearning4j"]),
        ("performance-problems", ["tensorflow", "keras"]),
    ],
)
def test_the_studies_of_forums_keep_their_own_tags(name: str, labels: list[str]) -> None:
    (forum,) = load_study(name).forums
    assert [(one.label, one.tags) for one in forum.tag_sets] == [(x, (x,)) for x in labels]
    assert forum.api_url == "https://api.stackexchange.com/2.3"


def test_a_tag_set_is_about_the_repository_that_is_named_for_it_or_called_like_it(
    tmp_path: Path,
) -> None:
    text = FORUM.replace("owner = ['x']", "NAME = ['x'], other = [], none = []")
    text += f'repositories = {{ other = "owner/name" }}\n{REPOSITORY}'
    study = load_study(written(tmp_path, text))
    about = {tag_set.label: study.repository_of(tag_set) for tag_set in study.tag_sets}
    assert about == {"NAME": "owner/name", "other": "owner/name", "none": None}


def test_the_packaged_study_is_that_of_the_paper() -> None:
    study = load_study("dl-frameworks")
    assert [(r.name, r.start, r.trend_start) for r in study.repositories] == [
        ("pytorch/pytorch", "2016-08", "2016-12"),
        ("tensorflow/tensorflow", "2015-11", "2016-02"),
    ]
    assert study.rules.performance_labels == ("performance", "module: memory usage")
    assert all(study.rules_of(r.name) == study.rules for r in study.repositories)
    assert study.count_approaches == ("url", "id")
    wider = load_study("six-frameworks")
    assert wider.repositories[:2] == study.repositories
    assert wider.rules == study.rules
    assert wider.count_approaches == study.count_approaches


@pytest.mark.parametrize(
    ("repository", "label", "kind"),
    [
        ("keras-team/keras", "type:Bug/Performance", None),
        ("keras-team/keras", "type:performance", "performance"),
        ("keras-team/keras", "type:feature", "other"),
        ("jax-ml/jax", "performance", "performance"),
        ("jax-ml/jax", "question", "other"),
        ("apache/mxnet", "Performance", "performance"),
        ("apache/mxnet", "Feature request", "other"),
        ("microsoft/onnxruntime", "performance", "performance"),
        ("microsoft/onnxruntime", "feature request", "other"),
        ("microsoft/onnxruntime", "ep:CUDA", None),
        ("tensorflow/tensorflow", "type:performance", "performance"),
        ("tensorflow/tensorflow", "type:bug/performance", None),
        ("tensorflow/tensorflow", "type:build/install", "other"),
        ("tensorflow/tensorflow", "type:support", "other"),
        ("tensorflow/tensorflow", "type:others", "other"),
        ("tensorflow/tensorflow", "type:bug", None),
    ],
)
def test_the_labels_of_each_packaged_repository_mean_what_they_say(
    repository: str, label: str, kind: str | None
) -> None:
    rules = load_study("six-frameworks").rules_of(repository)
    is_performance = bool(matching_labels([label], rules.performance_labels))
    is_other = bool(matching_labels([label], rules.non_bug_labels))
    assert (is_performance, is_other) == (kind == "performance", kind == "other")


def test_areas_of_the_other_packaged_repositories() -> None:
    areas = {one.name: one.areas for one in load_study("six-frameworks").repositories}
    found = {
        label: areas[name].area_of_label(label)
        for name, label in (
            ("microsoft/onnxruntime", "ep:CUDA"),
            ("microsoft/onnxruntime", "api:CSharp"),
            ("keras-team/keras", "backend:jax"),
            ("jax-ml/jax", "NVIDIA GPU"),
            ("apache/mxnet", "Gluon"),
        )
    }
    assert {label: (area or "").casefold() for label, area in found.items()} == {
        "ep:CUDA": "cuda",
        "api:CSharp": "api csharp",
        "backend:jax": "jax",
        "NVIDIA GPU": "gpu",
        "Gluon": "gluon",
    }


def test_keywords_are_graded_by_default_as_far_as_the_study_has_them(tmp_path: Path) -> None:
    whole = load_study(written(tmp_path, PAPER + MINIMAL)).rules
    assert (whole.strong_keywords, whole.weak_keywords) == (("memory leak",), ("slow",))
    text = 'keywords = ["slow", "hang"]\nstrong_keywords = ["hang"]\n' + MINIMAL
    own = load_study(written(tmp_path, text)).rules
    assert (own.strong_keywords, own.weak_keywords) == (("hang",), ("slow",))


def test_extend_keywords_are_added_to_those_of_the_paper_or_of_the_study(tmp_path: Path) -> None:
    def rules(text: str) -> Rules:
        return load_study(written(tmp_path, text + MINIMAL)).rules

    assert rules('extend_keywords = ["jank"]\n').keywords == ("jank",)
    assert rules('extend_keywords = ["jank"]\n').rule_set == "performance-2026"
    more = 'extend_keywords = ["jank", "slow"]\n'
    added = rules(PAPER + more)
    assert added.keywords == (*paper.KEYWORDS, "jank")
    assert added.version != rules(PAPER).version
    assert rules(f'keywords = ["hang"]\n{more}').keywords == ("hang", "jank", "slow")
    assert rules(f'{more}strong_keywords = ["jank"]\n').strong_keywords == ("jank",)
    assert rules('weak_keywords = ["latency"]\n').weak_keywords == ("latency",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "rule set performance-2026 (it counts speed and memory)."),
        ('counted_kinds = ["hang"]\n', "rule set performance-2026 (it counts hang)."),
        ('rule_set = "paper"\n', "rule set paper (the 29 keywords of the paper)."),
        ('extend_keywords = ["jank"]\n', "(it counts speed and memory), and 1 of the study."),
        (
            'keywords = ["throughput"]\n',
            "1 keyword of the study replaces the words of the",
        ),
    ],
)
def test_a_study_says_by_which_words_it_labels(tmp_path: Path, text: str, said: str) -> None:
    assert said in load_study(written(tmp_path, text + MINIMAL)).rule_sentence


def test_a_study_without_repositories_says_so(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, FORUM))
    with pytest.raises(PerfAssetsError, match="the study has no repositories"):
        study.repository("owner/name")


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
        (MINIMAL + 'aliases = "old/name"\n', "repositories[1].aliases", "a list is needed here"),
        (MINIMAL + 'aliases = ["old"]\n', "repositories[1].aliases[1]", "write owner/name"),
        (MINIMAL + 'aliases = ["Owner/Name"]\n', "repositories", "belongs to one repository"),
        (MINIMAL + 'aliases = ["a/b", "A/b"]\n', "repositories", "belongs to one repository"),
        (
            MINIMAL + REPOSITORY.replace("owner", "other") + 'aliases = ["owner/name"]\n',
            "repositories",
            "owner/name, an alias of other/name, is a repository of the study",
        ),
        (AREAS + "depths = 2", "repositories[1].areas.depths", "did you mean depth?"),
        (AREAS + "depth = 0", "repositories[1].areas.depth", "0"),
        (AREAS + 'labels = ["module: *"]', "repositories[1].areas.labels", "a table of keys"),
        (AREAS + 'labels = { "*" = "x" }', "repositories[1].areas.labels", "not * alone"),
        (AREAS + 'labels = { "a*b*" = "x" }', "repositories[1].areas.labels", "more than one *"),
        (AREAS + 'labels = { "nn" = "x*" }', "repositories[1].areas.labels", "has no * whose text"),
        (AREAS + 'labels = { "nn" = 1 }', "repositories[1].areas.labels.nn", "a text is needed"),
        (AREAS + 'files = { "!a" = "x" }', "repositories[1].areas.files.!a", "neither ! before"),
        (AREAS + 'files = { "a[b]" = "x" }', "repositories[1].areas.files", "neither ! before"),
        (AREAS + 'roots = ["../x"]', "repositories[1].areas.roots[1]", "a directory of the"),
        (AREAS + 'roots = "x"', "repositories[1].areas.roots", "a list is needed here"),
        (AREAS + "codeowners = 1", "repositories[1].areas.codeowners", "true or false"),
        ('weak_keywords = ["snappy"]\n' + MINIMAL, "weak_keywords", "'snappy' is not a keyword"),
        (
            'strong_keywords = ["slow"]\n' + 'weak_keywords = ["slow"]\n' + MINIMAL,
            "",
            "'slow' is a strong and a weak keyword",
        ),
        (MINIMAL + REPOSITORY, "repositories", "twice"),
        (MINIMAL + REPOSITORY.replace("owner", "OWNER"), "repositories", "twice"),
        ('name = "x"\n', "", "there is nothing to study: add [[repositories]] or [[forums]]"),
        (REPOSITORY, "name", "missing"),
        (MINIMAL.replace('start = "2020-01"', ""), "repositories[1].start", "missing"),
        ('keywords = ["slow", ""]\n' + MINIMAL, "keywords", "blank"),
        (
            'analyze_fixes = "no"\n' + MINIMAL,
            "analyze_fixes",
            "true or false is needed here ('no')",
        ),
        ('kind_method = "best"\n' + MINIMAL, "kind_method", "did you mean better?"),
        (MINIMAL + 'miner = "pydriler"\n', "repositories[1].miner", "did you mean pydriller?"),
        (MINIMAL + 'checks = "no"\n', "repositories[1].checks", "true or false is needed here"),
        ("analyze_fix = true\n" + MINIMAL, "analyze_fix", "did you mean analyze_fixes?"),
        ("reconcile_months = 0\n" + MINIMAL, "reconcile_months", "greater than or equal to 1 (0)"),
        ('reconcile_months = "6"\n' + MINIMAL, "reconcile_months", "'6'"),
        ('count_approaches = ["guess"]\n' + MINIMAL, "count_approaches", "'guess'"),
        (MINIMAL + 'corpus = "nowhere"\n', "repositories[1].corpus", "not a directory"),
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
        (f"reconcile_months = {'9' * 6000}\n{MINIMAL}", "", "too long or too deep"),
        (f"reconcile_months = 0x{'f' * 6000}\n{MINIMAL}", "reconcile_months", "too long to show"),
        (f"reconcile_months = 10000\n{MINIMAL}", "reconcile_months", "less than or equal to"),
        (f"keywords = {'[' * 5000}{']' * 5000}\n{MINIMAL}", "", "too deep"),
        (f"name = {'{a = ' * 5000}1{'}' * 5000}\n", "", "too deep"),
        (f"a{'.a' * 5000} = 1\n", "a", "unknown key"),
        (MINIMAL.replace('"mine"', '"mi\\u0000ne"'), "name", "control characters"),
        (MINIMAL.replace('"mine"', f'"{"m" * 5000}"'), "name", "1,000 characters"),
        (MINIMAL + 'git = "a\\u0000b"\n', "repositories[1].git", "control character"),
        (MINIMAL + f'git = "{"g" * 5000}"\n', "repositories[1].git", "1,000 characters"),
        (MINIMAL + f'git = "{"g" * 900}"\n', "repositories[1].git", "File name too long"),
        (MINIMAL + 'git = "~nosuchuser/x"\n', "repositories[1].git", "cannot be read"),
        (MINIMAL + 'git = "user:t0ken@host:x.git"\n', "repositories[1].git", "no password"),
        (MINIMAL + 'git = ["https://t0ken@h"]\n', "repositories[1].git", "a text is needed"),
        (MINIMAL + f'git = [["https://u:t0ken{"x" * 99}@h"]]\n', "repositories[1].git", "a text"),
        (MINIMAL + 'git = "--upload-pack=x"\n', "repositories[1].git", "an option"),
        (MINIMAL + 'git = "ext::sh -c x"\n', "repositories[1].git", "run a command"),
        (MINIMAL + 'corpus = "a\\u0000b"\n', "repositories[1].corpus", "control characters"),
        (MINIMAL + 'corpus = "~nosuchuser/x"\n', "repositories[1].corpus", "cannot be read"),
        (MINIMAL + f'corpus = "{"c" * 900}"\n', "repositories[1].corpus", "File name too long"),
        (MINIMAL + 'github_url = "http://h:99999"\n', "repositories[1].github_url", "http(s)"),
        (MINIMAL + 'github_url = "http://[::1/"\n', "repositories[1].github_url", "http(s)"),
        (MINIMAL + 'github_url = "http://h/?t0ken"\n', "repositories[1].github_url", "http(s)"),
        (MINIMAL + 'github_url = "http://h/\\n"\n', "repositories[1].github_url", "http(s)"),
        (MINIMAL.replace("2020-01", "0000-01"), "repositories[1].start", "not a month"),
        (MINIMAL.replace("2020-01", "0001-01"), "repositories[1].start", "before 1970-01"),
        (MINIMAL.replace("2020-01", "9999-12"), "repositories[1]", "not over"),
        (MINIMAL + 'trend_start = "9999-12"\n', "repositories[1]", "not over"),
        ("repositories = 1\nname = 'x'\n", "repositories", "a list"),
        ("repositories = [1]\nname = 'x'\n", "repositories[1]", "a table"),
        ("repositories = []\nname = 'x'\n", "", "there is nothing to study"),
        (FORUM.replace('"owner"', '"a b"'), "forums[1].name", "letters, digits"),
        (FORUM.replace("['x']", "['a b']"), "forums[1].tags.owner[1]", "'a b' is not a tag"),
        (FORUM.replace("{ owner = ['x'] }", "{}"), "forums[1].tags", "at least 1"),
        (FORUM.replace("owner =", "pooled ="), "forums[1]", "what all tag sets together are"),
        (FORUM + 'end = "2019-12"\n', "forums[1]", "end 2019-12 is before start"),
        (FORUM.replace("2020-01", "2999-01"), "forums[1]", "not over"),
        (FORUM + FORUM.partition("\n")[2], "", "forums: owner is listed twice"),
        (FORUM + 'api_url = "http://h:99999"\n', "forums[1].api_url", "http(s)"),
        (FORUM + 'repositories = { other = "a/b" }\n', "forums[1]", "none of the tag sets"),
        (FORUM + 'repositories = { owner = "a/b" }\n', "forums[1]", "has no repository 'a/b'"),
        (FORUM + 'dump = "a\\u0000b"\n', "forums[1].dump", "control characters"),
        (PEOPLE + 'bots = ["a b"]\n', "people.bots[1]", "a login or an e-mail address"),
        (PEOPLE + 'bots = ["a@b.org"]\n', "people.bots[1]", "a login is needed here"),
        (PEOPLE + 'bots = ["ci"]\npersons = ["CI"]\n', "people", "among bots and persons"),
        (PEOPLE + 'same = [["ada"]]\n', "people.same[1]", "two logins or addresses at least"),
        (PEOPLE + 'same = [["a", "b"], ["B", "c"]]\n', "people", "join these to one"),
        (PEOPLE + 'different = [["a", "b", "c"]]\n', "people.different[1]", "a pair"),
        (PEOPLE + 'addresses = "clear"\n', "people.addresses", "hashed"),
        ("analyze_fixes = nan\n" + MINIMAL, "analyze_fixes", "true or false"),
        ("reconcile_months = 6.0\n" + MINIMAL, "reconcile_months", "whole number"),
        ("reconcile_months = true\n" + MINIMAL, "reconcile_months", "whole number"),
        ("keywords = 2020-01-01\n" + MINIMAL, "keywords", "a list"),
        ('"na\\u001bme" = 1\n' + MINIMAL, "name", "unknown key"),
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
    assert message.isprintable()
    assert len(message) < len(str(path)) + 400
    assert "t0ken" not in message


def test_a_study_that_is_not_there_is_said_so() -> None:
    with pytest.raises(PerfAssetsError, match=r"nowhere\.toml.*challenges, dl-frameworks"):
        load_study("nowhere.toml")


def test_a_file_that_is_not_a_study_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\x89PNG\r\n\xff")
    (tmp_path / "huge.toml").write_bytes(b"#" * 2_000_000)
    for source, reason in (
        (tmp_path, "Is a directory"),
        (tmp_path / "binary.toml", "not UTF-8 text"),
        (tmp_path / "huge.toml", "more than 1,000,000 bytes"),
        ("nul\0.toml", "null byte"),
        ("n" * 5000, "File name too long"),
        ("\x1b[2J.toml", "no such study file"),
    ):
        with pytest.raises(PerfAssetsError, match=reason) as raised:
            load_study(source)
        assert str(raised.value).isprintable()


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(MINIMAL, encoding="utf-8-sig")
    assert load_study(tmp_path / "study.toml").name == "mine"


HOSTILE_TEXTS = st.sampled_from(
    [
        *("", " ", "owner/name", "../x", "a/b", "~nosuchuser/x", "~", "/", ".", "x" * 5000),
        *(
            "2021-13",
            "0000-01",
            "0001-01",
            "9999-12",
            "2021-02",
            "-1-01",
            "２０２１-01",
            "\0",
            "\n",
        ),
        *(
            "http://[::1/",
            "http://h:99999",
            "http://h:x",
            "https://u:canary@h/",
            "http://",
            "ext::x",
        ),
        *("u:canary@h:x.git", "--upload-pack=x", "\x1b[2J", "\u202e", "[/x]", "url", "performance"),
        *(
            "https://[v1.x]/",
            "https://ｈ/",
            "https://\u2100.com",
            "file://",
            "ssh://",
            "ssh://-o/x",
        ),
    ]
)
SCALARS = st.one_of(
    HOSTILE_TEXTS,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.datetimes(),
    st.dates(),
)
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(HOSTILE_TEXTS, SCALARS, max_size=2)
)


def table(shape: type[BaseModel], likely: dict[str, str]) -> st.SearchStrategy[dict[str, object]]:
    """Tables of the keys of ``shape``, most of them with a value that is right."""
    known = {name: st.one_of(st.just(value), VALUES) for name, value in likely.items()}
    keys = [field.alias or name for name, field in shape.model_fields.items()]
    others = {name: VALUES for name in keys if name not in likely}
    return st.fixed_dictionaries(known, optional=others)


DOCUMENTS = st.builds(
    lambda study, repositories: {**study, "repositories": repositories},
    table(Study, {"name": "mine"}).map(
        lambda entry: {key: value for key, value in entry.items() if key != "repositories"}
    ),
    st.one_of(
        st.lists(
            table(Repository, {"name": "owner/name", "start": "2020-01"}),
            max_size=3,
        ),
        VALUES,
    ),
)


@pytest.mark.slow
@given(DOCUMENTS)
@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow])
def test_any_document_is_a_study_or_refused_in_one_sentence(content: dict[str, object]) -> None:
    with TemporaryDirectory() as directory:
        path = written(Path(directory), as_toml(content))
        try:
            loaded = load_study(path)
        except PerfAssetsError as error:
            assert str(error).startswith(f"{path}: ")
            assert str(error).isprintable() and len(str(error)) < 700
            assert "canary" not in str(error)
        else:
            assert all(repository.months for repository in loaded.repositories)


def as_toml(content: dict[str, object]) -> str:
    return "".join(f"{json.dumps(key)} = {as_value(value)}\n" for key, value in content.items())


def as_value(value: object) -> str:
    if isinstance(value, dict):
        pairs = (f"{as_value(key)} = {as_value(inner)}" for key, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_value, value))}]"
    if isinstance(value, str):
        escaped = (f"\\U{ord(one):08x}" if not one.isalnum() else one for one in value)
        return f'"{"".join(escaped)}"'
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def test_months_count_across_years() -> None:
    assert add_months("2020-01", -1) == "2019-12"
    assert months_between("2019-11", "2020-02") == ["2019-11", "2019-12", "2020-01", "2020-02"]
    assert months_between("2020-02", "2020-01") == []
