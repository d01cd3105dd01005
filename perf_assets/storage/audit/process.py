"""The process in which Great Expectations validates, beside the one that computes what to store.

Importing it takes seconds, and so do its validations in sum: neither holds up anything else here,
and its memory is not on top of what the rows of a run take.
"""

import os
import pickle
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import LazyLoader, find_spec, module_from_spec
from pathlib import Path
from threading import Lock
from typing import NoReturn

import polars as pl

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.gc_control import collect_seldom, gc_paused, hold_little_free_memory
from perf_assets.base.processes.python_process import PythonProcess, receive, send
from perf_assets.storage.audit import great_expectations
from perf_assets.storage.audit.great_expectations import Finding
from perf_assets.storage.audit.rules import Rule

SELDOM_USED = ("scipy", "stats")
"""What Great Expectations imports and no rule of ours uses: a fifth of the time of importing it."""


@dataclass(frozen=True)
class _Request:
    """What is to be validated, as ``great_expectations.validate`` takes it; rules are pickled."""

    source: Path
    rules: Sequence[bytes]
    frame: pl.DataFrame


@dataclass(frozen=True)
class _Failure:
    """A defect in the other process."""

    traceback: str


@dataclass
class _Validator:
    """The process, which is started when it is first needed and serves until this one ends.

    is_here : whether this process validates by itself.
    """

    lock: Lock
    is_here: bool = False
    process: PythonProcess | None = None

    def start(self) -> PythonProcess:
        """Have it running."""
        if self.process is None:
            try:
                self.process = PythonProcess(__name__, serve.__name__)
            except OSError as error:
                raise TransientError(
                    f"no process can be started to audit rows in ({error.strerror}): end other "
                    "programs and run again"
                ) from None
        return self.process

    def request(self, request: _Request) -> object:
        """Return what it answers."""
        process = self.start()
        try:
            return process.request(request)
        except (OSError, EOFError):
            self.process = None
            self._lost(process.end())

    def _lost(self, code: int) -> NoReturn:
        shutdown.block_if_stopping(after_failure=True)  # it may have ended because we are stopped
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise TransientError(
            f"the process that audits rows ended by itself ({how}), as it does where memory is "
            "short; nothing of these rows was stored: run again"
        )


_validator = _Validator(Lock())


def validate_here() -> None:
    """Have this process validate by itself from now on; it imports what that needs.

    For one from which others are forked: they cannot share a process.
    """
    great_expectations.prepare()
    _validator.is_here = True


def prepare() -> None:
    """Start the process now, which takes seconds to import what it needs."""
    with _validator.lock:
        _validator.start()


def validate(source: Path, rules: Sequence[Rule], frame: pl.DataFrame) -> dict[str, Finding]:
    """Check ``rules``, as they stand in the file ``source``, on a frame of at least one row.

    Raises
    ------
    PerfAssetsError
        A rule is malformed; names file and rule. Or the process cannot be started, or was lost.
    """
    columns = great_expectations.columns_of(frame, rules)
    if _validator.is_here:
        return great_expectations.validate(source, rules, columns)
    request = _Request(source, [_pickled(rule) for rule in rules], columns)
    with _validator.lock:
        answer = _validator.request(request)
    if isinstance(answer, PerfAssetsError):
        raise answer
    if isinstance(answer, _Failure):
        raise RuntimeError(f"a validation failed:\n{answer.traceback}")
    assert isinstance(answer, dict)
    return answer


@cache
def _pickled(rule: Rule) -> bytes:
    return pickle.dumps(rule)


# ---- the other end


def serve(descriptor: int) -> NoReturn:
    """Validate for the process at the other end of the socket, until that is gone."""
    line = socket.socket(fileno=descriptor)
    hold_little_free_memory()
    _silence()
    with suppress(Exception):  # the first validation meets the same, and says so
        import_libraries()
    collect_seldom()
    with suppress(OSError, EOFError):
        while True:
            send(line, _answer(receive(line)))
    os._exit(0)


def import_libraries() -> None:
    """Import Great Expectations, for a process of one thread."""
    with gc_paused():
        _import_when_used(*SELDOM_USED)
        great_expectations.prepare()


def _import_when_used(package: str, name: str) -> None:
    """Let who imports ``name`` from ``package`` have it; it is read when it is first used.

    In a process of one thread: reading it then is not safe for several.
    """
    module = f"{package}.{name}"
    spec = find_spec(module)
    if module in sys.modules or spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    sys.modules[module] = module_from_spec(spec)
    setattr(sys.modules[package], name, sys.modules[module])
    spec.loader.exec_module(sys.modules[module])


@cache
def _rule(pickled: bytes) -> Rule:
    """Return the same object each time: what is prepared for a rule is prepared once."""
    rule: Rule = pickle.loads(pickled)
    return rule


def _answer(request: object) -> object:
    assert isinstance(request, _Request)
    rules = [_rule(pickled) for pickled in request.rules]
    try:
        return great_expectations.validate(request.source, rules, request.frame)
    except PerfAssetsError as error:
        return error
    except Exception:
        return _Failure(traceback.format_exc())


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
