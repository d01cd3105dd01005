"""Where a repository is cloned from: its address without secrets, and one look at its branches
and tags."""

import re
from dataclasses import dataclass
from pathlib import Path

from perf_assets.base.config_files import SensitiveValueError
from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.config.addresses import GitAddress, git_address
from perf_assets.core.releases.versions import version_tags
from perf_assets.sources.git.command import (
    GitError,
    error_line,
    is_disk_full,
    lines_of,
    network_environment,
    readable,
    run,
)

TAGS = "refs/tags/"
_SECRET = "***"
_SAFE = re.compile(r"git config --global --add safe\.directory \S.*")  # git's own remedy
HEADS_SECONDS = 60.0  # a look at thousands of branches takes one or two
_REFS = ("refs/heads/*", f"{TAGS}*")
_NO_NETWORK = (
    "could not resolve",
    "failed to connect",
    "couldn't connect",
    "connection refused",
    "connection timed out",
    "connection reset",
    "network is unreachable",
    "no route to host",
    "operation too slow",
    "operation timed out",
    "temporary failure in name resolution",
    "name or service not known",
)

# What a person may have set for every clone, and what must not happen to this one.
_OVERRULED = (
    "core.hooksPath=/dev/null",
    "fetch.fsckObjects=false",
    "transfer.fsckObjects=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=120",
)


@dataclass(frozen=True)
class Address(GitAddress):
    """Where to clone from: a URL, or the absolute path of a local repository."""

    @classmethod
    def of(cls, url_or_path: str) -> "Address":
        """Read a URL or a path; PerfAssetsError where it is none, or nothing exists there."""
        if not url_or_path:
            raise PerfAssetsError(
                "nothing says where its code is: write git = ... for the repository in the study "
                "file"
            )
        try:
            address = git_address(url_or_path)
        except SensitiveValueError as error:
            raise PerfAssetsError(
                f"a repository's git entry in the study file cannot be used: {error}"
            ) from None
        if not address.is_path:
            return cls(**vars(address))
        try:
            path = Path(url_or_path).expanduser().resolve()
            is_there = path.exists()
        except (OSError, RuntimeError, ValueError):
            raise PerfAssetsError(
                "a repository's git entry in the study file is not a readable path: correct it"
            ) from None
        if not is_there:
            raise PerfAssetsError(
                f"no git repository exists at {path}: correct the repository's git entry in the "
                "study file"
            )
        return cls(str(path), str(path), is_path=True)

    def environment(self) -> dict[str, str]:
        """Return the environment in which git reaches the address by its public form.

        So secrets are in no command line and in no stored setting.
        """
        if self.url == self.private_url:
            return network_environment()
        return network_environment(
            {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"url.{self.private_url}.insteadOf",
                "GIT_CONFIG_VALUE_0": self.url,
            }
        )

    def hide(self, text: str) -> str:
        """Return ``text`` without the address's secrets and those of any URL in it."""
        for secret in self.secrets:
            text = text.replace(secret, _SECRET)
        return re.sub(r"(?<=\w://)[^/@\s']++@", "", text)

    def failed(
        self,
        doing: str,
        failure: GitError,
        remedy: str = "check that a git repository exists there and needs no password, or correct "
        "the repository's git entry in the study file",
    ) -> PerfAssetsError:
        """Return the error for a git command that failed on this address, with a remedy."""
        message = self.hide(failure.stderr)
        lowered = message.lower()
        if is_disk_full(message):
            return PerfAssetsError(
                f"could not {doing} {self.url}: the disk is full; free some space and run again"
            )
        if any(sign in lowered for sign in _NO_NETWORK):
            return TransientError(
                f"could not {doing} {self.url}: its host cannot be reached; check the network and "
                f"the address, then run again ({error_line(message)})"
            )
        if safe := _SAFE.search(message):
            return PerfAssetsError(
                f"could not {doing} {self.url}: it belongs to another user, and git reads it only "
                f"after this command, then run again: {safe[0]}"
            )
        return PerfAssetsError(
            f"could not {doing} {self.url}: git says {error_line(message)!r}; {remedy}"
        )


@dataclass(frozen=True)
class Heads:
    """What a remote has: its default branch, the tip of every branch, and the object of each tag
    that is called after a version."""

    branch: str
    tips: dict[str, str]
    tags: dict[str, str]


def read_heads(address: Address) -> Heads:
    """Request the remote's branches and tags once.

    Raises PerfAssetsError if it has no default branch, or no answer comes in time.
    """
    command = remote_git("ls-remote", "--symref", "--", address.url, "HEAD", *_REFS)
    try:
        answer = readable(run(command, address.environment(), seconds=HEADS_SECONDS))
    except GitError as failure:
        raise address.failed("reach", failure) from None
    pairs = [tuple(line.split("\t", 1)) for line in lines_of(answer) if "\t" in line]
    tips = {ref: sha for sha, ref in pairs if ref.startswith("refs/heads/")}
    tagged = {ref.removeprefix(TAGS): sha for sha, ref in pairs if ref.startswith(TAGS)}
    tags = {f"{TAGS}{name}": tagged[name] for name in version_tags(tagged)}
    head = {sha.removeprefix("ref: ") for sha, ref in pairs if ref == "HEAD"}
    if not tips:
        raise PerfAssetsError(
            f"the git repository at {address.url} is empty: it has no branch with a commit, so "
            "push its history there or correct the repository's git entry in the study file"
        )
    # A detached HEAD names no branch, only a commit.
    named = [ref for ref in tips if ref in head]
    candidates = named or sorted((ref for ref in tips if tips[ref] in head), key=_by_custom)
    if not candidates:
        raise PerfAssetsError(
            f"the git repository at {address.url} has no default branch: its HEAD is none of its "
            "branches, so set it there with 'git symbolic-ref HEAD refs/heads/<branch>'"
        )
    return Heads(candidates[0].removeprefix("refs/heads/"), tips, tags)


def remote_git(*arguments: str) -> list[str]:
    """Return the command line of a git that talks to a remote, without hooks and strict checks."""
    return ["git", *(word for setting in _OVERRULED for word in ("-c", setting)), *arguments]


def _by_custom(ref: str) -> tuple[bool, bool, str]:
    """Return a sort key that puts the usual names of a default branch first."""
    return ref != "refs/heads/main", ref != "refs/heads/master", ref
