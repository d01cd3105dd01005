"""The words of `performance-2026`: what each is found by, which kind of trouble it says, and why.

The rule set counts them by where they stand, and the classifier reads them as signs. They were
chosen on reports of caffe, mxnet and vllm; docs/accuracy.md has how often each was right there.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

SPEED, MEMORY, HANG = "speed", "memory", "hang"
KINDS = (SPEED, MEMORY, HANG)
COUNTED_KINDS = (SPEED, MEMORY)
"""The kinds that count unless a study says otherwise, as in the paper."""


class Word(NamedTuple):
    """A word of the rule set.

    kind : what it speaks of; ``speed``, ``memory`` or ``hang``.
    forms : regular expressions of whole words in lower case, in the syntax of Rust and Python.
    reason : why it is in the set.
    chinese : its forms in Chinese, which puts no space between words.
    alone : whether it says so by itself; otherwise it is a sign for the classifier only.
    """

    kind: str
    forms: tuple[str, ...]
    reason: str
    chinese: tuple[str, ...] = ()
    alone: bool = True

    @property
    def pattern(self) -> str:
        """Return a regular expression that finds any form of the word."""
        return pattern_of([self])


def pattern_of(words: Iterable[Word]) -> str:
    """Return a regular expression that finds any form of any of the ``words``."""
    listed = list(words)
    forms = "|".join(form for word in listed for form in word.forms)
    return "|".join([rf"\b(?:{forms})\b", *(form for word in listed for form in word.chinese)])


_NUMBER = r"\d+(?:[.,]\d+)?\s*"
_MEMORY = r"(?:memory|v?ram|mem)"
_SPEED = "(?:performance|speed|perf)"
_LOSS = r"(?:degrad\w+|drop\w*|regress\w*)"


WORDS: Mapping[str, Word] = {
    "slow": Word(
        SPEED,
        (r"slow(?:er|est|ly|s|ed|ness|ing)?", r"slow[ -]?downs?"),
        "the plainest complaint, with forms that the paper's list lacks",
        ("慢", "卡顿"),
    ),
    "speed": Word(SPEED, (r"speed(?:s|ing|[ -]?ups?)?",), "speed is named", ("速度",)),
    "fast": Word(SPEED, ("faster than", "fast enough", "how fast"), "a comparison of speed"),
    "latency": Word(SPEED, ("latency", "latencies"), "of the paper's list", ("延迟",)),
    "throughput": Word(
        SPEED, ("through[ -]?put",), "of the paper's list, and in two words", ("吞吐",)
    ),
    "performance": Word(
        SPEED, ("performance",), "in a title it seldom means accuracy since 2023", ("性能",)
    ),
    "degradation": Word(
        SPEED,
        (rf"{_SPEED}\W+(?:\w+\W+)?{_LOSS}", f"{_LOSS} (?:of|in) {_SPEED}"),
        "forms of the paper's list, in any order",
    ),
    "tokens per second": Word(
        SPEED,
        (r"tok(?:en)?s?\s?(?:per|/)\s?s(?:ec(?:ond)?)?", "tps", "qps", "fps", "t/s", "it/s"),
        "how serving states its speed",
    ),
    "time to first token": Word(
        SPEED, ("ttft", "tpot", "itl", "time to first token"), "metrics of LLM serving"
    ),
    "utilization": Word(
        SPEED,
        ("utili[sz]ation", "(?:cpu|gpu)[ -]?(?:usage|load)", "100 ?% cpu", "idle"),
        "hardware that waits, or works too much",
    ),
    "bottleneck": Word(
        SPEED, ("bottlenecks?", "overheads?", "inefficien(?:t|cy|tly)"), "a cost is named"
    ),
    "lag": Word(SPEED, ("lag", "laggy", "lagging"), "of the paper's list, as a whole word"),
    "takes long": Word(
        SPEED,
        (
            r"(?:takes?|took|taking) (?:\w+ ){0,3}(?:long|longer|hours|ages|time)",
            "(?:very|so|extremely|unusually|much) long(?:er)?",
            "time[ -]consuming",
            "time cost",
            "(?:start|load|loading|compile|compilation|startup|build|warmup) (?:time|speed)s?",
        ),
        "a duration is too long; compiling and loading count",
        ("时间长", "太久", "很久"),
    ),
    "ratio": Word(
        SPEED,
        (f"{_NUMBER}(?:x|times) (?:slower|faster|longer|more time)",),
        "a measured loss of speed",
    ),
    "scaling": Word(
        SPEED,
        ("scalability", "scaling", "(?:not|n't) scale"),
        "hardware that brings nothing; often of images or losses",
        alone=False,
    ),
    "speed in passing": Word(
        SPEED,
        ("perf", "faster", "efficien(?:t|cy|tly)", "regression", r"degrad\w+", r"benchmark\w*"),
        "also of accuracy, of methods, and in names",
        alone=False,
    ),
    "out of memory": Word(
        MEMORY,
        (
            "(?:out[ -]of|insufficient|no available|not enough|running out of)"
            rf"[ -](?:\w+ )?{_MEMORY}",
            r"oom(?:s|ed|ing|[ -]?kill(?:ed|er|s)?)?",
            r"outofmemory\w*",
            "cannot allocate memory",
        ),
        "the commonest report of memory since 2023; the paper's list lacks it",
        ("显存不足", "内存不足", "爆显存", "显存溢出", "内存溢出"),
    ),
    "leak": Word(
        MEMORY, ("leak(?:s|ed|ing|age|ages)?",), "with or without memory", ("泄漏", "泄露")
    ),
    "memory use": Word(
        MEMORY,
        (
            rf"{_MEMORY} (?:\w+ ){{0,2}}(?:usage|consumption|use|footprint|growth|grow\w*"
            r"|increas\w*|overhead|requirements?|bloat|explo\w*|fragmentation)",
            "(?:high|higher|huge|large|excessive|much|extra|lots of|reduce|release|free|more) "
            rf"(?:\w+ )?{_MEMORY}",
            rf"(?:usage|consum\w+|increas\w*) (?:\w+ ){{0,2}}{_MEMORY}",
            "memory (?:issue|problem)s?",
        ),
        "how much memory is taken, in either order",
        ("显存", "内存占用"),
    ),
    "vram": Word(MEMORY, ("vram",), "the memory of consumers' GPUs"),
    "hang": Word(
        HANG, ("hang(?:s|ing|ed)?", "hung"), "no progress at all", ("卡住", "卡死", "挂起")
    ),
    "stuck": Word(HANG, ("stuck",), "no progress at all"),
    "freeze": Word(HANG, ("freez(?:e|es|ing)", "froze"), "no progress; not frozen layers"),
    "deadlock": Word(HANG, ("dead[ -]?lock(?:s|ed|ing)?",), "no progress, and its cause"),
    "unresponsive": Word(
        HANG,
        (
            *("unresponsive", r"not respond\w*", "stops? responding", "forever", "indefinitely"),
            r"never (?:returns?|finish\w*|ends?|complet\w*|exits?)",
        ),
        "no progress, in other words",
        ("无响应",),
    ),
    "timeout": Word(
        HANG,
        ("time[sd]?[ -]?out", "timeouts?"),
        "often a consequence of something else",
        ("超时",),
        alone=False,
    ),
}
"""By name; a word that does not say so alone does not count in the rule set."""
