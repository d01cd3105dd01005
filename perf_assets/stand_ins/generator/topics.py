"""Topic branches as real projects have them: many at once, brought up to date, merged by a commit.

Of the commits of chainer 23 % are merges, of numpy 24 %, of caffe 25 %, of scipy 18 %, of Theano
15 %, of mxnet 12 %, of keras 9 %, nearly all with two parents. In chainer, as everywhere that pull
requests are merged, most commits are beside the line of first parents. Branches stay open for days
or weeks, some for months, and merge the main line before they are merged themselves.
"""

from dataclasses import dataclass, field

from perf_assets.stand_ins.generator.model import Branch, Commit, Edit
from perf_assets.stand_ins.generator.planner import HOUR, Plan

OPEN_AT_ONCE = 12
MERGES_PER_COMMIT = 0.6  # that is on a topic branch
LENGTHS = {1: 30, 2: 25, 3: 20, 5: 15, 12: 10}
"""Commits of a branch, and how many branches in a hundred have as many."""

UPDATED = 0.25
"""How often the main line is merged before the next commit of a branch."""


@dataclass
class _Topic:
    """A branch that is open, and how many commits it will have."""

    length: int
    branch: Branch = field(default_factory=lambda: Branch(is_topic=True))


def plan_topics(plan: Plan, share: float, room: int) -> None:
    """Move a ``share`` of the usual commits to topic branches, with at most ``room`` merges."""
    if not room:
        return
    rng = plan.rng
    pulled = {id(pull.merge_commit) for pull in plan.pulls}
    planted = {id(commit) for trap in plan.traps.values() for commit in trap.commits}
    usual = [
        commit
        for commit in plan.commits
        if commit.is_on_main and commit.branch is None and commit.merges is None
        if commit.edit.kind == "lines" and commit.quotes is None
        if id(commit) not in pulled and id(commit) not in planted
    ]
    chosen = sorted((c for c in usual if rng.random() < share), key=lambda commit: commit.order)
    topics: list[_Topic] = []
    for commit in chosen:
        if room <= len(topics):
            break
        topic = rng.choice(topics) if len(topics) >= OPEN_AT_ONCE else _opened(plan, topics)
        commits = topic.branch.commits
        if commits and room > len(topics) + 1 and rng.random() < UPDATED:
            _update(plan, topic.branch, commit)
            room -= 1
        commit.branch = topic.branch
        commits.append(commit)
        if len(commits) >= topic.length:
            topics.remove(topic)
            _land(plan, topic.branch)
            room -= 1
    for topic in topics:
        _land(plan, topic.branch)


def _opened(plan: Plan, topics: list[_Topic]) -> _Topic:
    (length,) = plan.rng.choices(list(LENGTHS), list(LENGTHS.values()))
    topics.append(_Topic(length))
    return topics[-1]


def _update(plan: Plan, branch: Branch, following: Commit) -> None:
    """Merge the main line into the branch, shortly before its ``following`` commit."""
    at = max(branch.commits[-1].order, following.order - plan.rng.randint(1, HOUR))
    commit = plan.commit(at, plan.texts.subject())
    subject = commit.message
    commit.message = lambda: "Merge branch 'main' into topic" if commit.is_merge else subject()
    commit.branch, commit.updates_branch = branch, True
    branch.commits.append(commit)


def _land(plan: Plan, branch: Branch) -> None:
    """Plan a pull request that brings the branch, merged some days after its last
    commit.
    """
    at = plan.after(branch.commits[-1].order, plan.rng.lognormvariate(0, 1.5))
    pull = plan.pull(at)
    merge = plan.commit(
        at,
        lambda: f"Merge pull request #{pull.number} from {pull.author}/topic",
        edit=Edit("merge"),
    )
    merge.merges = branch
    plan.merge(pull, merge)
