"""Which area a label names, and in which one a file is."""

import pytest

from perf_assets.core.areas.rules import AreaRules, PathArea, PathAreas, is_aside

PYTORCH = AreaRules(
    labels={"module: *": "*", "oncall: *": "*", "module: crash": "", "topic: build": "CI"},
    files={"/aten/": "aten", "/aten/src/THC*/": "cuda", "/third_party/": ""},
    roots=("torch", "torch/csrc", "tensorflow/python"),
)


@pytest.mark.parametrize(
    ("label", "area"),
    [
        ("module: cuDNN", "cudnn"),
        ("Module:memory usage", "memory usage"),
        ("oncall: distributed", "distributed"),
        ("module: crash", None),
        ("topic: build", "ci"),
        ("triaged", None),
        ("module: ", None),
    ],
)
def test_a_label_names_the_area_that_its_last_pattern_says(label: str, area: str | None) -> None:
    assert PYTORCH.area_of_label(label) == area


def test_labels_that_name_areas_in_many_trackers_do_so_without_a_study_saying_it() -> None:
    labels = ("comp:lite", "area/core", "component: io", "area: tests", "module: nn", "lite")
    assert [AreaRules().area_of_label(label) for label in labels] == [
        *("lite", "core", "io", "tests", "nn"),
        None,
    ]


@pytest.mark.parametrize(
    ("repository", "path", "area"),
    [
        ("chainer/chainer", "chainer/functions/math/sum.py", "chainer/functions"),
        ("chainer/chainer", "chainer/optimizer.py", "chainer"),
        ("chainer/chainer", "cupy/core/core.pyx", "cupy"),
        ("chainer/chainer", "setup.py", "top level"),
        ("pytorch/pytorch", "torch/nn/modules/conv.py", "torch/nn"),
        ("pytorch/pytorch", "aten/src/ATen/native/Foo.cpp", "aten"),
        ("tensorflow/tensorflow", "tensorflow/lite/kernels/add.cc", "tensorflow/lite"),
        ("sample-lab/tensorkit", "src/tensorkit/nn/base.py", "src/tensorkit/nn"),
        ("apache/mxnet", "python/mxnet/gluon/block.py", "python/mxnet/gluon"),
        ("apache/mxnet", "src/operator/nn/conv.cc", "src/operator"),
        ("scikit-learn/scikit-learn", "sklearn/tree/x.py", "sklearn"),
    ],
)
def test_without_rules_an_area_is_the_first_directory_below_the_package(
    repository: str, path: str, area: str
) -> None:
    assert PathAreas(repository, AreaRules()).area(path) == PathArea(area, "directory")


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("torch/nn/conv.py", ("torch/nn", "directory")),
        ("torch/csrc/jit/ir.cpp", ("torch/csrc/jit", "directory")),
        ("torch/csrc/Module.cpp", ("torch/csrc", "directory")),
        ("tensorflow/python/keras/x.py", ("tensorflow/python/keras", "directory")),
        ("torchgen/model.py", ("torchgen", "directory")),
        ("aten/src/ATen/a.cpp", ("aten", "pattern")),
        ("aten/src/THCUNN/a.cu", ("cuda", "pattern")),
        ("third_party/x/a.c", None),
    ],
)
def test_patterns_win_and_roots_say_where_areas_begin(
    path: str, area: tuple[str, str] | None
) -> None:
    assert PathAreas("pytorch/pytorch", PYTORCH).area(path) == area


def test_a_depth_takes_more_directories_below_the_root() -> None:
    areas = PathAreas("chainer/chainer", AreaRules(depth=2))
    assert areas.area("chainer/functions/math/sum.py") == ("chainer/functions/math", "directory")
    assert areas.area("cupy/core/core.pyx") == ("cupy/core", "directory")


def test_owners_come_after_patterns_and_before_directories() -> None:
    areas = PathAreas("pytorch/pytorch", PYTORCH)

    def owned(path: str) -> tuple[str, str] | None:
        return ("team", "*") if path.endswith(".cpp") else None

    assert areas.area("aten/a.cpp", owned) == ("aten", "pattern")
    assert areas.area("torch/nn/a.cpp", owned) == ("team", "codeowners")
    assert areas.area("torch/nn/a.py", owned) == ("torch/nn", "directory")
    assert areas.area("torch/nn/a.cpp") == ("torch/nn", "directory")


def test_the_version_changes_with_each_rule() -> None:
    variants = [
        AreaRules(),
        AreaRules(labels={}),
        AreaRules(files={"a": "b"}),
        AreaRules(roots=("a",)),
        AreaRules(depth=2),
        AreaRules(codeowners=True),
    ]
    assert len({rules.version for rules in variants}) == len(variants)


def test_tests_and_documentation_follow_what_they_are_about() -> None:
    asides = ("tests/a.py", "docs/conf.py", "README.md", "a/doc/x.py", "a/test_b.py")
    assert all(map(is_aside, asides))
    assert not any(map(is_aside, ("a/b.py", "setup.py", "CMakeLists.txt", "chainer/testing/x.py")))
