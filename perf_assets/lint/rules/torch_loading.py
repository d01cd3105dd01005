"""A `DataLoader` without workers, and gradients set to zero: TOR401 and TOR402 of TorchFix."""

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument, unpacks
from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import Rule

LOADERS = frozenset(("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"))
WORKERS = 6  # num_workers by position


def find_loaders(module: Module) -> Iterator[Hit]:
    """Loaders that load in the training process itself."""
    for call, scope in module.calls:
        if module.resolve(call.func, scope) in LOADERS and not _has_workers(call):
            yield Hit(
                call,
                Severity.WARNING,
                "this DataLoader loads in the process that trains, which waits for it: give it "
                "num_workers",
            )


def _has_workers(call: ast.Call) -> bool:
    given = argument(call, ("num_workers",), WORKERS)
    return unpacks(call) or any(
        not (isinstance(one, ast.Constant) and one.value == 0) for one in given
    )


def find_zeroing(module: Module) -> Iterator[Hit]:
    """Calls of `zero_grad` that write zeros where None would do."""
    if not module.imports("torch"):
        return
    for call, _ in module.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "zero_grad":
            given = argument(call, ("set_to_none",), 1)
            if any(isinstance(one, ast.Constant) and one.value is False for one in given):
                yield Hit(
                    call,
                    Severity.WARNING,
                    "zero_grad(set_to_none=False) writes zeros that the next step reads: leave it "
                    "at None, the default since PyTorch 2.0",
                )


LOADER_WITHOUT_WORKERS = Rule(
    name="loader-without-workers",
    code="TOR401",
    summary="a torch DataLoader without num_workers",
    severity=Severity.WARNING,
    on=False,
    find=find_loaders,
    framework="torch",
)
ZERO_GRAD_TO_ZERO = Rule(
    name="zero-grad-to-zero",
    code="TOR402",
    summary="zero_grad(set_to_none=False)",
    severity=Severity.WARNING,
    on=False,
    find=find_zeroing,
    framework="torch",
)
