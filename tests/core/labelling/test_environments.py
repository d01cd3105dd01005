"""Environments of issues: read from fields, blocks and texts, and no example of a template."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.labelling.environment_values import (
    NEGATED,
    NEGATED_SYSTEMS,
    SYSTEMS_IN_TEXT,
)
from perf_assets.core.labelling.environments import (
    EVIDENCE_LENGTH,
    Reader,
    environments_of_issues,
)
from perf_assets.schema import schema_of
from tests.effort import examples

COLLECT_ENV = """Collecting environment information...
PyTorch version: 1.0.1
Is debug build: No
CUDA used to build PyTorch: 10.0.130

OS: Ubuntu 18.04.1 LTS
GCC version: (Ubuntu 7.3.0-27ubuntu1~18.04) 7.3.0
CMake version: version 3.12.2

Python version: 3.7
Is CUDA available: Yes
CUDA runtime version: 10.0.130
GPU models and configuration: GPU 0: GeForce GTX 1080 Ti
"""
TEMPLATE = """- **OS Platform and Distribution (e.g., Linux Ubuntu 16.04)**: {system}
- **TensorFlow installed from (source or binary)**: binary
- **TensorFlow version (use command below)**: {framework}
- **Python version**: {python}
- **CUDA/cuDNN version**: {cuda}
- **GPU model and memory**: {gpu}
"""
FORM = """### Operating System

Windows 11

### Mobile device

_No response_

### Python version

3.10

### CUDA/cuDNN version

_No response_

### What happened?

It is slow.
"""
MXNET = """## Environment info (Required)

----------Python Info----------
Version      : 3.6.5
Compiler     : GCC 4.2.1 Compatible Apple LLVM 9.0.0 (clang-900.0.39.2)
------------Pip Info-----------
Version      : 18.0
----------MXNet Info-----------
Version      : 1.3.0
----------System Info----------
Platform     : Darwin-16.7.0-x86_64-i386-64bit
"""


def stated(body: str | None, title: str = "slow", repository: str = "pytorch/pytorch"):
    return {
        (found.aspect, found.value): found.source for found in Reader(repository).read(title, body)
    }


def test_the_block_of_collect_env_gives_every_aspect() -> None:
    assert stated(COLLECT_ENV) == {
        ("cuda_version", "10.0"): "environment_block",
        ("device", "gpu"): "environment_block",
        ("framework_version", "1.0"): "environment_block",
        ("operating_system", "linux"): "environment_block",
        ("python_version", "3.7"): "environment_block",
    }


def test_filled_fields_of_a_template_are_read_and_its_examples_are_not() -> None:
    filled = TEMPLATE.format(
        system="Windows 10",
        framework="v1.12.0-rc2-3 1.12.0",
        python="3.6.5",
        cuda="9.0/7",
        gpu="N/A",
    )
    assert stated(filled, repository="tensorflow/tensorflow") == {
        ("cuda_version", "9.0"): "form_field",
        ("device", "cpu"): "form_field",
        ("framework_version", "1.12"): "form_field",
        ("operating_system", "windows"): "form_field",
        ("python_version", "3.6"): "form_field",
    }
    blank = TEMPLATE.format(system="", framework="", python="", cuda="", gpu="")
    assert stated(blank, repository="tensorflow/tensorflow") == {}


def test_answers_below_headings_and_lines_are_read() -> None:
    assert stated(FORM) == {
        ("operating_system", "windows"): "form_field",
        ("python_version", "3.10"): "form_field",
    }
    below = "Operating System:\r\nUbuntu 16.04\r\nMXNet version:\r\n0.11\r\n"
    assert stated(below, repository="apache/mxnet") == {
        ("operating_system", "linux"): "form_field",
        ("framework_version", "0.11"): "form_field",
    }


def test_sections_of_a_block_name_what_its_fields_do_not() -> None:
    assert stated(MXNET, repository="apache/incubator-mxnet") == {
        ("framework_version", "1.3"): "environment_block",
        ("operating_system", "macos"): "environment_block",
        ("python_version", "3.6"): "environment_block",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("training on the GPU takes longer than on a CPU", {("device", "gpu"), ("device", "cpu")}),
        ("RuntimeError: CUDA out of memory. Tried to allocate 2.0", {("device", "gpu")}),
        ("conv2d in fp16 and bfloat16", {("data_type", "float16"), ("data_type", "bfloat16")}),
        ("a sliding windows approach, on windows of ten frames", set()),
        ("since PyTorch 1.13.1 it is slow", {("framework_version", "1.13")}),
        ("set CUDA 0 and python 3 apart", set()),
        ("File '/usr/lib/python3.8/site-packages/x.py'", {("python_version", "3.8")}),
        ("<!-- OS: Windows 10, CUDA 9.0 -->", set()),
        ("GPU: None", {("device", "cpu")}),
        ("CUDA runtime version: Could not collect", set()),
        ("CUDA Build Version: 9020", {("cuda_version", "9.2")}),
        ("PyTorch version: built from master", {("framework_version", "unreleased")}),
        ("İstanbul: on the GPU", {("device", "gpu")}),
    ],
)
def test_what_a_text_states(text: str, expected: set[tuple[str, str]]) -> None:
    assert set(stated(text)) == expected


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("GPU", "No GPU, I use Intel CPU", "cpu"),
        ("GPU", "I don't have a GPU", "cpu"),
        ("GPU", "GPU not used (CPU only)", "cpu"),
        ("GPU", "RTX3090", "gpu"),
        ("GPU", "Apple M1", "gpu"),
        ("Is CUDA available", "No", "cpu"),
        ("Is CUDA available", "N/A", None),
        ("CUDA/cuDNN version", "cuDNN 7.6, CUDA 10.1", "10.1"),
        ("CUDA version", "12 GB of memory", None),
        ("CUDA", "32 bits", None),
        ("CUDA/cuDNN version", "No CUDA, driver 450.51", None),
        ("Python version", "conda 4.9.2, python 3.8", "3.8"),
        ("Python version", "Anaconda 2019.10 python 3.7", "3.7"),
        ("Python version and distribution", "anaconda 2.7.11", "2.7"),
        ("I call it again and again until I ran out of GPU", "memory of the GPU", None),
        ("PyTorch version", "pip 20.1, torch 1.7.0", "1.7"),
        ("PyTorch version", "master (commit 1.234)", "unreleased"),
        ("OS", "not Windows, only Linux", "linux"),
        ("OS", "Win 10", "windows"),
        ("OS", "win-64", "windows"),
        ("OS", "Manjaro", "linux"),
        ("device(self, device", "cuda", None),
    ],
)
def test_a_field_states_what_it_asks_for(field: str, value: str, expected: str | None) -> None:
    found = [one.value for one in Reader("pytorch/pytorch").read("", f"- {field}: {value}")]
    assert found[:1] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    "text", ["it slides windows of 8 over windows 10 times", "the MAC operation is slow"]
)
def test_words_of_learning_are_not_an_operating_system(text: str) -> None:
    assert stated(text) == {}


def test_a_text_is_not_read_for_what_a_field_states() -> None:
    body = "OS: Ubuntu 20.04\n\nOn Windows 10 it is as fast as before."
    assert stated(body) == {("operating_system", "linux"): "form_field"}


def test_an_issue_without_a_text_is_read_by_its_title() -> None:
    assert stated(None, "Slow on Windows 10") == {("operating_system", "windows"): "text"}


def test_a_block_of_100_kb_states_what_it_states_and_no_evidence_is_long() -> None:
    noise = "[conda] some-package 1.0 py37_0 <!-- \n" * 2_700
    assert len(noise) > 100_000
    found = Reader("pytorch/pytorch").read("slow", COLLECT_ENV + noise + "x" * 100_000)
    assert {one[:2] for one in found} >= set(stated(COLLECT_ENV))
    assert all(len(one.evidence) <= EVIDENCE_LENGTH for one in found)


@given(st.text(), st.text(" \n:#*-_<!>()eg.OSGPUcudapython0123456789"))
def test_any_text_is_read_and_each_value_stands_in_a_single_row(title: str, body: str) -> None:
    issues = pl.DataFrame(
        [("a/b", 1, title, body, "2020-01")],
        schema=["repository", "number", "title", "body", "month"],
        orient="row",
    )
    found = environments_of_issues(issues)
    assert found.schema == schema_of("labels.environments")
    key = ["repository", "number", "environment_aspect", "environment_value"]
    assert found.select(key).is_unique().all()


@pytest.mark.parametrize("system", SYSTEMS_IN_TEXT, ids=lambda system: system[0])
@given(data=st.data())
@settings(max_examples=examples(30))
def test_what_names_a_system_has_one_of_its_words(
    system: tuple[str, tuple[str, ...], re.Pattern[str]], data: st.DataObject
) -> None:
    _, words, pattern = system
    assert all(word == word.casefold() and pattern.search(f"on {word} 10 os") for word in words)
    text = data.draw(st.from_regex(pattern))
    assert any(word in text for word in words)


@given(st.from_regex(NEGATED))
@settings(max_examples=examples(30))
def test_what_is_negated_names_one_of_these_systems(text: str) -> None:
    assert any(word in text for word in NEGATED_SYSTEMS)
