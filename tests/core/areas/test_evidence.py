"""Areas in labels and stack traces: what is the repository's, and what is somebody's own."""

import time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.areas.evidence import area_evidence, fix_areas
from perf_assets.core.areas.rules import AreaRules
from perf_assets.schema import schema_of

FILES = (
    "torch/__init__.py",
    "torch/nn/modules/conv.py",
    "torch/nn/functional.py",
    "torch/testing/checks.py",
    "torch/tensor.py",
    "aten/src/ATen/native/Foo.cpp",
    "aten/src/THC/THCGeneral.cpp",
    "test/test_nn.py",
    "examples/mnist/main.py",
    "tools/train.py",
)
INSTALLED = "/usr/lib/python3.6/site-packages"
IN_A_SCRIPT = """Traceback (most recent call last):
  File "train.py", line 3, in <module>
    main()
  File "{packages}/torch/nn/modules/module.py", line 477, in __call__
  File "{packages}/torch/nn/modules/conv.py", line 301, in forward
  File "{packages}/numpy/core/numeric.py", line 93, in ones
RuntimeError: {error}
"""
NOTEBOOK = """ValueError            Traceback (most recent call last)
<ipython-input-3-d1> in <module>
----> 1 conv(x)

~/anaconda3/lib/python3.6/site-packages/torch/nn/functional.py in conv2d(x)
     70     pass
"""
NEWER_NOTEBOOK = """Cell In[1], line 1
File ~/x/site-packages/torch/nn/functional.py:70, in conv2d(x)
     70     pass
"""
NATIVE = """Exception raised from foo at ../aten/src/ATen/native/Foo.cpp:63 (the last call first):
frame #0: c10::Error::Error(...) + 0x33 (0x7f in /usr/lib/libc10.so)
"""


def issues(*bodies: str | None, labels: tuple[str, ...] = ()) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"number": number, "body": body, "labels": list(labels), "month": "2019-05"}
            for number, body in enumerate(bodies, 1)
        ],
        schema={
            "number": pl.Int64,
            "body": pl.String,
            "labels": pl.List(pl.String),
            "month": pl.String,
        },
    )


def files(*paths: str, first: str = "2017-01", last: str | None = None) -> pl.DataFrame:
    rows = [(path, first, last) for path in paths]
    return pl.DataFrame(rows, schema=["path", "first_month", "last_month"], orient="row").cast(
        pl.String
    )


def traced(body: str | None, known: pl.DataFrame | None = None, **rules: object) -> list[str]:
    found = area_evidence(
        "pytorch/pytorch",
        issues(body),
        files(*FILES) if known is None else known,
        AreaRules(**rules),  # type: ignore[arg-type]
        lambda label: False,
    )
    return found["evidence"].to_list()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (IN_A_SCRIPT.format(packages=INSTALLED, error="x"), "torch/nn/modules/conv.py"),
        (
            IN_A_SCRIPT.format(packages=r"C:\Python36\lib\site-packages", error="x").replace(
                "/", "\\"
            ),
            "torch/nn/modules/conv.py",
        ),
        (
            IN_A_SCRIPT.format(packages=f"{INSTALLED}/torch-1.0-py3.6.egg", error="x"),
            "torch/nn/modules/conv.py",
        ),
        (
            IN_A_SCRIPT.format(packages="/home/ada/src/pytorch", error="x"),
            "torch/nn/modules/conv.py",
        ),
        (
            IN_A_SCRIPT.format(
                packages=INSTALLED,
                error="out of memory at /pytorch/aten/src/THC/THCGeneral.cpp:58",
            ),
            "aten/src/THC/THCGeneral.cpp",
        ),
        (NOTEBOOK, "torch/nn/functional.py"),
        (NEWER_NOTEBOOK, "torch/nn/functional.py"),
        (NATIVE, "aten/src/ATen/native/Foo.cpp"),
        ('File "torch/tensor.py", line 3, in x', "torch/tensor.py"),
        (f'File "{INSTALLED}/torch/gone/since.py", line 3, in x', "torch/gone/since.py"),
    ],
)
def test_a_trace_is_where_its_innermost_frame_of_the_repository_is(body: str, path: str) -> None:
    assert traced(body) == [path]
    assert traced(body.replace("\n", "\r\n")) == [path]


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        'File "train.py", line 3, in <module>',
        'File "/home/ada/tools/train.py", line 3, in <module>',
        'File "/home/ada/examples/mnist/main.py", line 3, in <module>',
        'File "/home/ada/test/test_nn.py", line 3, in <module>',
        f'File "{INSTALLED}/torchvision/ops.py", line 3, in x',
        f'File "{INSTALLED}/torch/testing/checks.py", line 3, in x',
        f'File "{INSTALLED}/torch", line 3, in x',
        'File "<stdin>", line 1, in <module>',
        "2019-05-01 W tensorflow/core/platform/cpu_feature_guard.cc:45] The library was not built",
        "The module torch/nn/functional.py is slow",
        "I look at torch/nn/functional.py:70 all day",
    ],
)
def test_what_is_a_persons_own_or_no_trace_names_no_area(body: str | None) -> None:
    assert traced(body) == []


def test_each_trace_counts_and_each_path_once() -> None:
    script = IN_A_SCRIPT.format(packages=INSTALLED, error="x")
    assert traced(script + NOTEBOOK + script) == [
        "torch/nn/functional.py",
        "torch/nn/modules/conv.py",
    ]


def test_a_file_counts_while_the_repository_has_it() -> None:
    body = f'File "{INSTALLED}/cupy/core/core.pyx", line 3, in x'
    had = files("cupy/core/core.pyx", "cupy/core/fusion.py", last="2017-04")
    for known, found in (
        (files("cupy/core/core.pyx", first="2019-05"), ["cupy/core/core.pyx"]),
        (files("cupy/core/core.pyx", first="2019-06"), []),
        (had, []),
        (pl.concat([had, files("cupy/cuda/memory.pyx")]), ["cupy/core/core.pyx"]),
    ):
        assert traced(body, known) == found


def test_a_frame_in_no_area_leaves_the_trace_to_the_one_around_it() -> None:
    script = IN_A_SCRIPT.format(packages=INSTALLED, error="x")
    assert traced(script, files={"/torch/nn/modules/conv.py": ""}) == ["torch/nn/modules/module.py"]


def test_labels_name_areas_unless_they_mean_something_else() -> None:
    found = area_evidence(
        "pytorch/pytorch",
        issues("", labels=("module: nn", "module: performance", "bug")),
        files(),
        AreaRules(),
        lambda label: "performance" in label,
    )
    assert found.select("number", "area", "area_source", "evidence", "area_rule").rows() == [
        (1, "nn", "label", "module: nn", "pattern")
    ]
    assert found.schema == schema_of("labels.area_evidence")


def test_each_file_of_a_commit_has_its_area_but_those_in_none() -> None:
    changed = pl.DataFrame(
        {
            "sha": ["a", "a", "b"],
            "path": ["torch/nn/conv.py", "test/test_nn.py", "third_party/x.c"],
            "month": ["2019-05"] * 3,
        }
    )
    rules = AreaRules(files={"/third_party/": ""})

    def owned(sha: str, path: str) -> tuple[str, str] | None:
        return ("team", "*") if sha == "a" and path.startswith("torch") else None

    found = fix_areas("pytorch/pytorch", changed, rules, owned)
    assert found.select("sha", "path", "area", "area_rule", "is_test_or_documentation").rows() == [
        ("a", "test/test_nn.py", "test", "directory", True),
        ("a", "torch/nn/conv.py", "team", "codeowners", False),
    ]


def test_long_and_broken_texts_are_read_in_no_time() -> None:
    began = time.process_time()
    frame = f'  File "{INSTALLED}/torch/nn/functional.py", line 3, in x\n'
    assert traced(frame * 50_000) == ["torch/nn/functional.py"]
    for body in ('File "' * 200_000, "at " + "a/" * 500_000, "x.py in " * 200_000):
        assert traced(body) == []
    assert time.process_time() - began < 10


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=3))
def test_no_text_breaks_it(body: str, labels: list[str]) -> None:
    found = area_evidence(
        "pytorch/pytorch",
        issues(body, f'File "{body}", line 3', labels=tuple(labels)),
        files(*FILES),
        AreaRules(),
        lambda label: False,
    )
    assert set(found["area_source"]) <= {"label", "stack_trace"}
