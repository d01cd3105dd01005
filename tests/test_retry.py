"""Trying again: how often, and after which pauses."""

from perf_assets.base.retry import RetryPolicy


def test_pauses_grow_up_to_the_longest_and_differ() -> None:
    policy = RetryPolicy(attempts=6, first_pause=1.0, longest_pause=5.0)
    pauses: list[float] = []
    assert list(policy.tries(pauses.append)) == [False] * 5 + [True]
    for pause, longest in zip(pauses, (1.0, 2.0, 4.0, 5.0, 5.0), strict=True):
        assert longest / 2 <= pause <= longest
    assert len({policy.pause(1) for _ in range(100)}) > 1


def test_does_not_pause_after_a_success_or_the_last_attempt() -> None:
    pauses: list[float] = []
    for _ in RetryPolicy(attempts=3, first_pause=1.0, longest_pause=1.0).tries(pauses.append):
        break
    assert list(RetryPolicy(1, 1.0, 1.0).tries(pauses.append)) == [True]
    assert pauses == []
