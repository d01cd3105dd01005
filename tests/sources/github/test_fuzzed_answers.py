"""Answers spoiled by chance; many more are by tests/benchmarks/fuzz_answers.py."""

from pathlib import Path

import pytest

from tests.answer_fuzzing import Fuzzer
from tests.effort import IS_THOROUGH

NUMBER = 30_000 if IS_THOROUGH else 1000


@pytest.mark.slow
def test_a_spoiled_answer_ends_in_right_rows_or_one_plain_sentence(tmp_path: Path) -> None:
    fuzzer = Fuzzer(tmp_path)
    ends = [fuzzer.example(seed) for seed in range(NUMBER)]
    refused = [sentence for sentence in ends if sentence is not None]
    # Neither end is left out, nor does one reason stand for all.
    assert NUMBER / 8 < len(refused) < NUMBER * 4 / 5
    assert len(set(refused)) > NUMBER / 20
