"""The corpus generator: same bytes for the same seed, sizes as git counts them, a sound truth."""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import add_months, end_of, months_between
from perf_assets.config.study import load_study
from perf_assets.core.paper import constants
from perf_assets.core.paper.constants import KEYWORDS
from perf_assets.core.reviews.codebook import IMPACTS, Code
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.stand_ins import generator
from perf_assets.stand_ins.generator import (
    GeneratedCorpus,
    generate,
    keywords,
    phrases,
    report_form,
    texts,
    wording,
)
from perf_assets.stand_ins.generator.model import is_bot
from perf_assets.stand_ins.generator.traps import REGISTER
from tests.effort import some
from tests.paths import ROOT

pytestmark = pytest.mark.slow

SMALL = {"issues": 30, "months": 6, "commits": 40}


@dataclass(frozen=True)
class Corpus:
    """A generated corpus, read back."""

    made: GeneratedCorpus

    def lines(self, name: str) -> list[dict]:
        with gzip.open(self.made.directory / f"{name}.jsonl.gz", "rt", newline="\n") as file:
            return [json.loads(line) for line in file]

    def truth(self, name: str) -> pl.DataFrame:
        return pl.read_csv(self.made.truth / f"{name}.csv", infer_schema_length=None)

    def facts(self, name: str) -> dict:
        return json.loads((self.made.truth / f"{name}.json").read_text())

    def git(self, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.made.repository), *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    @cached_property
    def issues(self) -> dict[int, dict]:
        return {issue["number"]: issue for issue in self.lines("issues")}

    @cached_property
    def traps(self) -> dict[str, dict]:
        return self.facts("traps")

    def trapped(self, name: str) -> list[dict]:
        return [self.issues[number] for number in self.traps[name]["issues"]]

    def by_issue(self, name: str) -> dict[int, list[dict]]:
        found = defaultdict(list)
        for record in self.lines(name):
            found[record["issue_number"]].append(record)
        return found

    def numstat(self) -> dict[str, tuple[int, int, int]]:
        """Additions, deletions and changed files of every commit, counted by git."""
        log = self.git(
            "log", "--numstat", "-M", "-z", "--diff-merges=first-parent", "--format=%x01%H", "main"
        )
        sizes = {}
        for block in log.split(b"\x01")[1:]:
            rows = re.findall(rb"(?:^|[\0\n])(\d+|-)\t(\d+|-)\t", block)
            counts = [[0 if cell == b"-" else int(cell) for cell in row] for row in rows]
            added, deleted = (sum(row[index] for row in counts) for index in (0, 1))
            sizes[block[:40].decode()] = (added, deleted, len(rows))
        return sizes


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    return Corpus(generate(tmp_path_factory.mktemp("generated") / "default"))


def digest(directory: Path) -> str:
    """One hash over corpus, study, truth, and every ref and object of the repository."""
    total = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        if path.is_file() and "repository.git" not in path.parts:
            total.update(str(path.relative_to(directory)).encode() + path.read_bytes())
    for command in ("for-each-ref", "rev-list --objects --all", "symbolic-ref HEAD"):
        git = ["git", "-C", str(directory / "repository.git"), *command.split()]
        total.update(subprocess.run(git, check=True, capture_output=True).stdout)
    return total.hexdigest()


def test_the_same_arguments_give_the_same_bytes_whatever_the_surroundings(tmp_path):
    generate(tmp_path / "here", seed=3, **SMALL)
    (tmp_path / ".gitconfig").write_text(
        "[init]\ndefaultBranch = trunk\ndefaultObjectFormat = sha256\n"
        "[user]\nname = Somebody\n[core]\nautocrlf = true\n"
    )
    program = (
        "from pathlib import Path; from perf_assets.stand_ins.generator import generate; "
        f"generate(Path('there'), seed=3, **{SMALL})"
    )
    surroundings = {"HOME": str(tmp_path), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    surroundings |= {"GIT_AUTHOR_DATE": "2001-01-01", "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=os.environ | surroundings, check=True
    )
    assert digest(tmp_path / "here") == digest(tmp_path / "there")


def test_another_seed_gives_another_repository_of_the_same_size(tmp_path):
    one, two = (Corpus(generate(tmp_path / str(seed), seed=seed, **SMALL)) for seed in (1, 2))
    assert digest(one.made.directory) != digest(two.made.directory)
    for corpus in (one, two):
        assert len(corpus.issues) == SMALL["issues"]
        assert len(corpus.numstat()) == SMALL["commits"]


SIZES = (
    {},
    SMALL,
    {"issues": 1, "months": 1, "commits": 1},
    {"issues": 2, "months": 2, "commits": 5, "comments": 0},
    {"issues": 40, "months": 5, "commits": 12},
    {"issues": 300, "months": 20, "commits": 6},
    {"issues": 250, "months": 15, "commits": 400},
    {"issues": 250, "months": 15, "commits": 600, "topics": 0.8},
    {"issues": 4, "months": 2, "commits": 12, "topics": 1},
)


@pytest.mark.parametrize("seed", some(*range(3)))
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_planned_sizes_are_those_that_git_counts(tmp_path, sizes, seed):
    corpus = Corpus(generate(tmp_path / "corpus", seed=seed, **sizes))
    planned = {
        row["sha"]: (row["additions"], row["deletions"], row["changed_files"])
        for row in corpus.truth("commits").iter_rows(named=True)
    }
    assert len(planned) == sizes.get("commits", 800)
    assert corpus.numstat() == planned


def test_planned_times_and_merges_are_those_of_git(corpus):
    log = corpus.git("log", "--format=%H %cI %P", "--date=iso-strict", "main").decode()
    commits = corpus.truth("commits")
    planned = dict(commits.select("sha", "is_merge").iter_rows())
    assert {line.split()[0]: len(line.split()) == 4 for line in log.splitlines()} == planned
    seconds = corpus.git("log", "--format=%H %ct", "main").decode().split()
    committed = dict(zip(seconds[::2], map(int, seconds[1::2]), strict=True))
    for sha, at, month in commits.select("sha", "committed_at", "month").iter_rows():
        parsed = pl.Series([at]).str.to_datetime("%Y-%m-%dT%H:%M:%SZ").dt.epoch("s")[0]
        assert committed[sha] == parsed
        assert at.startswith(month)


# The corpus agrees with itself


@pytest.mark.parametrize("sizes", SIZES[:4], ids=str)
def test_the_events_of_an_issue_lead_to_its_state(tmp_path, sizes):
    corpus = Corpus(generate(tmp_path / "corpus", **sizes))
    events = corpus.by_issue("events")
    eventless = set(corpus.traps.get("closed_without_events", {"issues": []})["issues"])
    for number, issue in corpus.issues.items():
        toggles = [
            (event["event"], event["created_at"])
            for event in events[number]
            if event["event"] in ("closed", "reopened")
        ]
        kinds = [kind for kind, _ in toggles]
        assert kinds == [("closed", "reopened")[index % 2] for index in range(len(kinds))]
        if number in eventless:
            assert issue["state"] == "closed" and not toggles
        elif toggles and toggles[-1][0] == "closed":
            assert (issue["state"], issue["closed_at"]) == toggles[-1]
        else:
            assert (issue["state"], issue["closed_at"]) == ("open", None)


def test_labels_comments_and_times_agree_with_the_issue(corpus):
    comments, events = corpus.by_issue("comments"), corpus.by_issue("events")
    for number, issue in corpus.issues.items():
        assert issue["comments"] == len(comments[number])
        labels = Counter()
        for event in events[number]:
            if event["event"] in ("labeled", "unlabeled"):
                labels[event["label"]["name"]] += 1 if event["event"] == "labeled" else -1
        assert sorted(labels.elements()) == sorted(label["name"] for label in issue["labels"])
        times = [record["created_at"] for record in comments[number] + events[number]]
        closed = [issue["closed_at"]] if issue["closed_at"] else []
        assert issue["updated_at"] == max([issue["created_at"], *closed, *times])
        assert min([issue["created_at"], *times]) == issue["created_at"]


def test_everything_happens_within_the_months_and_two_months_are_quiet(corpus):
    months = months_between("2020-01", "2022-06")
    issue_months = {issue["created_at"][:7] for issue in corpus.issues.values()}
    commit_months = set(corpus.truth("commits")["month"])
    assert len(issue_months) == len(commit_months) == len(months) - 1
    assert issue_months | commit_months == set(months)
    for name in ("issues", "comments", "events", "pulls"):
        for record in corpus.lines(name):
            assert months[0] <= record["created_at"][:7] <= months[-1]
            assert (record.get("closed_at") or months[-1])[:7] <= months[-1]


def test_issues_and_pull_requests_share_one_row_of_numbers_with_gaps(corpus):
    numbers = [record["number"] for name in ("issues", "pulls") for record in corpus.lines(name)]
    assert len(numbers) == len(set(numbers))
    assert {1, 2, 3} <= corpus.issues.keys()
    assert max(numbers) > len(numbers)
    for name in ("comments", "events"):
        ids = [record["id"] for record in corpus.lines(name)]
        assert len(ids) == len(set(ids))


def test_counts_are_those_of_the_files(corpus):
    counts = corpus.facts("counts")
    for name in ("issues", "comments", "pulls"):
        assert counts[name] == len(corpus.lines(name)) == corpus.made.records[name]
    assert counts["comments"] == 1600
    # The one issue whose closing event was lost is given one again when it is served.
    assert counts["events"] == len(corpus.lines("events")) + 1


# The truth agrees with itself and with the files


def test_the_last_month_of_the_trend_is_the_breakdown(corpus):
    last = corpus.truth("trend_monthly").row(-1, named=True)
    breakdown = corpus.truth("dataset_breakdown")
    performance = breakdown.filter("is_performance").row(0, named=True)
    for state in ("open", "fixed"):
        assert last[f"{state}_total"] == breakdown[state].sum()
        assert last[f"{state}_performance"] == performance[state]
        share = 100 * performance[state] / breakdown[state].sum()
        assert last[f"{state}_percentage"] == pytest.approx(share)


def test_the_trend_follows_from_replaying_the_events(corpus):
    metrics = corpus.truth("bug_metrics").rows(named=True)
    events = corpus.by_issue("events")
    trend = corpus.truth("trend_monthly")
    assert trend["month"].to_list() == months_between("2020-04", "2022-06")
    for row in trend.iter_rows(named=True):
        end = end_of(row["month"]).strftime("%Y-%m-%dT%H:%M:%SZ")
        total, performance = 0, 0
        for bug in metrics:
            if bug["opened_at"] >= end:
                continue
            past = [
                event["event"]
                for event in events[bug["number"]]
                if event["created_at"] < end and event["event"] in ("closed", "reopened")
            ]
            is_closed = past[-1] == "closed" if past else (bug["closed_at"] or end) < end
            total += not is_closed
            performance += not is_closed and bug["is_performance"]
        assert (row["open_total"], row["open_performance"]) == (total, performance)


def test_what_is_fixed_in_a_month_follows_from_replaying_events_and_commits(corpus):
    metrics = corpus.truth("bug_metrics").rows(named=True)
    events = corpus.by_issue("events")
    committed = dict(corpus.truth("commits").select("sha", "committed_at").iter_rows())
    fixes = defaultdict(list)
    for row in corpus.truth("fix_links").filter("is_counted").iter_rows(named=True):
        fixes[row["number"]].append(committed[row["sha"]])
    for row in corpus.truth("trend_monthly").iter_rows(named=True):
        end = end_of(row["month"]).strftime("%Y-%m-%dT%H:%M:%SZ")
        fixed = newly_fixed = 0
        for bug in metrics:
            past = [
                event
                for event in events[bug["number"]]
                if event["created_at"] < end and event["event"] in ("closed", "reopened")
            ]
            has_fix = min(fixes[bug["number"]], default=end) < end
            if has_fix and past and past[-1]["event"] == "closed":
                fixed += 1
                newly_fixed += past[-1]["created_at"][:7] == row["month"]
        assert (row["fixed_total"], row["newly_fixed_total"]) == (fixed, newly_fixed)


COUNTS = pl.col("is_counted") & ~pl.col("is_repeated")


def test_metrics_follow_from_links_commits_and_comments(corpus):
    commits = {row["sha"]: row for row in corpus.truth("commits").iter_rows(named=True)}
    fixes = defaultdict(set)
    for row in corpus.truth("fix_links").filter(COUNTS).iter_rows(named=True):
        assert commits[row["sha"]]["committed_at"] >= corpus.issues[row["number"]]["created_at"]
        fixes[row["number"]].add(row["sha"])
    comments = corpus.by_issue("comments")
    for bug in corpus.truth("bug_metrics").iter_rows(named=True):
        number = bug["number"]
        shas = fixes[number]
        sizes = [commits[sha]["additions"] + commits[sha]["deletions"] for sha in shas]
        assert (bug["fix_commits"], bug["fix_size"]) == (len(shas), sum(sizes) if shas else None)
        assert bug["is_fixed"] == (bug["state"] == "closed" and bool(shas))
        assert (bug["fix_time_days"] is not None) == bug["is_fixed"]
        users = [
            record["user"] or {"login": "ghost", "type": "User"} for record in comments[number]
        ]
        people = [user["login"] for user in users if not is_bot(user["login"])]
        assert (bug["comments"], bug["commentators"]) == (len(people), len(set(people)))
        assert bug["comments_with_bots"] == len(users)
        assert bug["commentators_with_bots"] == len({user["login"] for user in users})


def test_no_keyword_is_in_the_everyday_vocabulary():
    words = (
        *texts.COMPONENTS,
        *texts.SYMPTOMS,
        *texts.CIRCUMSTANCES,
        *texts.SENTENCES,
        *texts.REPLIES,
        *texts.SUBJECTS,
        *texts.FIXES,
        texts.TRACEBACK,
        *(what for listed in phrases.OPERATIONS.values() for what in listed),
        *(title for listed in phrases.WISHES.values() for title in listed),
        *(*phrases.TIME_COSTS, *phrases.MEMORY_COSTS, *phrases.WIDENED_COSTS),
        *(*phrases.FAULTS, *phrases.HURRIED_FAULTS, *phrases.WHENS, phrases.CAUSE_TITLE),
        *(*phrases.TIME_OPENINGS, *phrases.MEMORY_OPENINGS, *phrases.FAULT_OPENINGS),
        *(*phrases.WISH_OPENINGS, *phrases.COST_SENTENCES, phrases.MEASURED),
    )
    assert [word for word in words if any(keyword in word.casefold() for keyword in KEYWORDS)] == []


def test_outside_the_traps_the_keywords_of_plain_bodies_are_the_planned_ones(corpus):
    trapped = {number for trap in corpus.traps.values() for number in trap["issues"]}
    seen = 0
    for row in corpus.truth("performance_labels").iter_rows(named=True):
        issue = corpus.issues[row["number"]]
        words = (issue["body"] or "").replace(f"### {report_form.REPORT}\n", "")
        text = f"{issue['title']}\0{words}".casefold()
        if row["number"] in trapped or "## checklist" in text:
            continue
        seen += 1
        assert (row["matched_keywords"] or "") == "|".join(sorted(k for k in KEYWORDS if k in text))
    assert seen > 80


def test_most_reports_about_performance_are_written_with_the_form_from_its_month_on(corpus):
    form = corpus.facts("form")
    content = corpus.git("show", f"{form['sha']}:{form['path']}").decode()
    assert content == report_form.FORM and form["name"] in content
    before = corpus.git("ls-tree", "-r", "--name-only", f"{form['sha']}~1").decode().splitlines()
    assert form["path"] not in before
    trapped = {number for trap in corpus.traps.values() for number in trap["issues"]}
    judged = dict(corpus.truth("judgements").iter_rows())
    first = corpus.issues[form["reports"][0]]["created_at"]
    assert first.startswith(form["month"])
    candidates = [
        number
        for number, issue in corpus.issues.items()
        if judged.get(number) and number not in trapped and issue["created_at"] >= first
    ]
    written = [
        number
        for number, issue in corpus.issues.items()
        if f"### {report_form.REPORT}\n" in (issue["body"] or "")
    ]
    assert written == form["reports"] and set(written) <= set(candidates)
    assert len(written) / len(candidates) == pytest.approx(report_form.FORM_SHARE, abs=0.2)


def test_a_short_history_has_no_form(tmp_path):
    short = generate(tmp_path / "short", **SMALL)
    assert not (short.truth / "form.json").exists()


def test_titles_say_what_reports_are_about_but_for_a_stated_share(corpus):
    judged = dict(corpus.truth("judgements").iter_rows())
    faults = [fault.partition(" {")[0] for fault in phrases.FAULTS]
    shares = []
    for is_about in (True, False):
        numbers = [
            number for number, is_performance in judged.items() if is_performance == is_about
        ]
        titles = [corpus.issues[number]["title"] for number in numbers]
        speaks_of_a_fault = [any(fault in title for fault in faults) for title in titles]
        shares.append(sum(speaks_of_a_fault) / len(titles))
    of_bugs, of_others = shares
    assert 0 < of_bugs < 2 / wording.HARD_EVERY
    assert 1 - 2 / wording.HARD_EVERY < of_others < 1


def test_no_two_issues_have_the_same_title(corpus):
    titles = [issue["title"] for issue in corpus.issues.values()]
    assert len(set(titles)) == len(titles)


def test_late_performance_bugs_of_an_area_name_the_commit_that_caused_them(corpus):
    log = corpus.git("log", "--format=%cI", f"--grep={phrases.CAUSE_COMMIT}", "main").decode()
    (cause,) = log.split()
    named = [i for i in corpus.issues.values() if phrases.CAUSE_TITLE in i["title"]]
    judged = dict(corpus.truth("judgements").iter_rows())
    assert named
    for issue in named:
        assert judged[issue["number"]]
        assert phrases.CAUSE_AREA in {label["name"] for label in issue["labels"]}
        assert datetime.fromisoformat(issue["created_at"]) >= datetime.fromisoformat(cause)


def test_the_share_of_performance_bugs_rises(corpus):
    metrics = corpus.truth("bug_metrics").sort("opened_at")
    half = len(metrics) // 2
    early, late = metrics["is_performance"][:half].mean(), metrics["is_performance"][half:].mean()
    assert late > 1.5 * early > 0


def test_the_rule_is_right_about_as_often_as_the_study_found(corpus):
    """Makkouk et al. (ICSME 2022), section III: 88.13 % of the bugs that it found were right."""
    judged = corpus.truth("judgements").rename({"is_performance": "is_right"})
    labels = corpus.truth("performance_labels").filter("is_bug_report")
    both = labels.join(judged, on="number", how="inner")
    assert both.height == labels.height
    found, about = both.filter("is_performance"), both.filter("is_right")
    assert 0.8 < found["is_right"].mean() < 0.97
    assert 0.7 < about["is_performance"].mean() < 1


def test_two_made_up_raters_judge_by_the_codebook_and_mostly_as_it_is(corpus):
    given = pl.read_csv(corpus.made.directory / generator.VERDICTS_FILE)
    assert given["rater"].n_unique() == 2
    assert given.group_by("rater").len()["len"].to_list() == [60, 60]
    for category, subcategory in (
        given.select("category", "subcategory").drop_nulls("category").rows()
    ):
        assert Code(category, subcategory) in codebook().descriptions
    assert set(given["impact"].drop_nulls()) <= set(IMPACTS)
    both = given.join(corpus.truth("judgements"), on="number", how="inner")
    assert both.height == given.height
    is_right = (both["verdict"] == "yes") == both["is_performance"]
    assert 0.85 < is_right.mean() < 1


# Traps


@pytest.mark.parametrize(
    "sizes", [{}, {"issues": 290, "months": 15, "commits": 160}], ids=["default", "smallest"]
)
def test_every_trap_is_planted(tmp_path, sizes):
    traps = Corpus(generate(tmp_path / "corpus", seed=11, **sizes)).traps
    assert traps.keys() == {entry.name for entry in REGISTER}
    for entry in REGISTER:
        planted = traps[entry.name]
        assert len(planted["issues"]) == entry.issues, entry.name
        on_a_side_branch = entry.name == "commit_of_another_branch"
        assert len(planted["commits"]) == entry.commits + on_a_side_branch, entry.name


HIDDEN = (
    "keyword_in_backtick_fence",
    "keyword_in_tilde_fence",
    "keyword_in_unclosed_fence",
    "backticks_inside_tilde_fence",
    "short_fence_inside_long_fence",
    "keyword_in_html_comment",
    "template_text_is_not_the_author",
    "template_with_crlf",
    "template_line_in_other_dress",
    "template_line_earlier_in_the_month_of_the_template",
    "template_left_empty",
)


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_keywords_are_in_the_text_and_do_not_count(corpus, name):
    labels = {row["number"]: row for row in corpus.truth("performance_labels").rows(named=True)}
    for issue in corpus.trapped(name):
        assert any(keyword in issue["body"].casefold() for keyword in KEYWORDS)
        assert labels[issue["number"]]["is_bug_report"]
        assert not labels[issue["number"]]["is_performance"]


COUNTING = (
    "keyword_in_title_or_body",
    "keyword_in_upper_case",
    "ticked_checkbox",
    "performance_bug_in_template",
    "keyword_behind_template_field",
    "template_line_before_the_template",
    "performance_label_without_keyword",
    "line_repeated_by_one_author",
    "line_repeated_outside_the_window",
    "short_line_repeated",
)


@pytest.mark.parametrize("name", COUNTING)
def test_genuine_reports_beside_the_traps_count(corpus, name):
    labels = {row["number"]: row for row in corpus.truth("performance_labels").rows(named=True)}
    assert all(labels[issue["number"]]["is_performance"] for issue in corpus.trapped(name))


def test_a_tool_line_reaches_five_authors_in_its_first_month(corpus):
    issues = [issue for issue in corpus.issues.values() if "kitreport" in (issue["body"] or "")]
    first = min(issue["created_at"][:7] for issue in issues)
    authors = {str(issue["user"]) for issue in issues if issue["created_at"].startswith(first)}
    assert len(authors) >= 5
    assert max(issue["created_at"][:7] for issue in issues) <= add_months(first, 11)


def test_template_lines_stand_in_issues_only_from_the_month_of_the_template_on(corpus):
    path = texts.TEMPLATE_PATH
    log = corpus.git("log", "--reverse", "--format=%ct", "main", "--", path).decode().split()
    assert len(log) == 2
    month = pl.from_epoch(pl.Series([int(log[0])])).dt.strftime("%Y-%m")[0]
    with_form = [
        i["created_at"] for i in corpus.issues.values() if "## Checklist" in (i["body"] or "")
    ]
    assert min(with_form)[:7] >= month
    content = corpus.git("show", f"main:{path}").decode()
    assert texts.WORSE_LINE in content and texts.SLOWER_LINE not in content


def test_long_conversations_and_timelines_need_a_second_page(corpus):
    (talk,), (churn,) = (corpus.trapped(f"more_than_100_{name}") for name in ("comments", "events"))
    assert talk["comments"] > 100
    assert len(corpus.by_issue("events")[churn["number"]]) > 100
    assert churn["state"] == "open"


def test_commit_messages_hold_what_they_should(corpus):
    def message(name: str, index: int = 0) -> bytes:
        sha = corpus.traps[name]["commits"][index]
        return corpus.git("cat-file", "commit", sha).split(b"\n\n", 1)[1]

    assert message("empty_message") == b""
    with pytest.raises(UnicodeDecodeError):
        message("message_that_is_not_utf8").decode()
    (pull,) = corpus.traps["closed_by_a_pull_request"]["pulls"]
    assert message("closed_by_a_pull_request", 1).startswith(
        f"Merge pull request #{pull} from".encode()
    )
    (later,) = corpus.traps["issue_opened_after_the_commit"]["issues"]
    assert message("issue_opened_after_the_commit").endswith(f"#{later}".encode())


UNLINKED = (
    "issue_of_another_repository",
    "number_in_code",
    "issue_opened_after_the_commit",
    "closed_by_a_commit_of_another_repository",
    "closed_by_a_pull_request_of_another_repository",
    "closed_by_a_pull_request_never_merged",
    "closed_by_a_commit_that_history_lacks",
)


@pytest.mark.parametrize("name", UNLINKED)
def test_what_only_looks_like_a_link_is_none(corpus, name):
    linked = set(corpus.truth("fix_links")["number"])
    assert linked.isdisjoint(corpus.traps[name]["issues"])


def test_a_link_from_another_branch_does_not_count(corpus):
    (number,) = corpus.traps["commit_of_another_branch"]["issues"]
    assert not corpus.truth("fix_links").filter(number=number)["is_counted"].any()


def test_numbers_of_lists_and_pull_requests_link_nothing(corpus):
    linked = set(corpus.truth("fix_links")["sha"])
    for name in ("numbers_of_a_list", "number_of_a_pull_request", "number_that_is_a_colour"):
        assert linked.isdisjoint(corpus.traps[name]["commits"])


# Study file, refusals


def test_the_study_file_names_the_corpus_as_it_stands(corpus):
    (repository,) = load_study(corpus.made.study).repositories
    assert repository.name == "sample-lab/tensorkit"
    assert (repository.start, repository.trend_start) == ("2020-01", "2020-04")
    assert repository.end == "2022-06"
    assert Path(repository.git) == corpus.made.repository.resolve()
    assert repository.corpus == corpus.made.directory.resolve()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"issues": 0}, "--issues is 0"),
        ({"months": 0}, "--months is 0"),
        ({"commits": -3}, "--commits is -3"),
        ({"comments": -1}, "--comments is -1"),
        ({"start": "2020-13"}, "--start is '2020-13'"),
        ({"months": 90_000}, "--months is 90000"),
        ({"start": "9999-01"}, "not over"),
        ({"repository": "tensorkit"}, "--repository is 'tensorkit'"),
        ({"repository": "../x"}, "--repository is '../x'"),
    ],
)
def test_impossible_arguments_are_refused_by_name(tmp_path, arguments, reason):
    with pytest.raises(PerfAssetsError, match=re.escape(reason)):
        generate(tmp_path / "corpus", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_with_content_is_left_alone_and_an_empty_one_is_filled(tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(PerfAssetsError, match="not empty"):
        generate(tmp_path, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "empty").mkdir()
    assert generate(tmp_path / "empty", **SMALL).study.is_file()


def test_without_git_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(PerfAssetsError, match="git is not installed"):
        generate(tmp_path / "corpus", **SMALL)
    assert list(tmp_path.iterdir()) == []


def test_the_problems_of_the_planted_program_stand_where_the_truth_says(corpus):
    lines = {
        (sha, path): corpus.git("show", f"{sha}:{path}").decode().splitlines()
        for sha, path in corpus.truth("static_findings").select("sha", "path").unique().iter_rows()
    }
    marks = {
        "sequential-map": ".map(parse_batch)",
        "map-before-batch": "records.map(parse,",
        "loop-invariant-op": "tf.sqrt(rate)",
    }
    planted = corpus.truth("static_findings")
    for sha, path, line, rule in planted.select("sha", "path", "line", "rule").iter_rows():
        assert marks[rule] in lines[sha, path][line - 1]
    assert set(planted["rule"]) == set(marks)


def test_the_planted_problems_come_and_go(corpus):
    planted = corpus.truth("static_findings")
    quarters = planted.group_by("quarter", maintain_order=True).agg("rule", "path")
    by_quarter = [sorted(rules) for rules in quarters["rule"]]
    both = ["loop-invariant-op", "sequential-map"]
    assert [rules for index, rules in enumerate(by_quarter) if rules not in by_quarter[:index]] == [
        both,
        ["loop-invariant-op", "map-before-batch", "sequential-map"],
        ["loop-invariant-op", "map-before-batch"],
    ]
    assert len({path for paths in quarters["path"] for path in paths}) == 3
    ends = {}
    for quarter in quarters["quarter"]:
        over = end_of(f"{quarter[:4]}-{3 * int(quarter[-1]):02d}")
        before = ("--first-parent", f"--before={over:%Y-%m-%dT%H:%M:%SZ}")
        ends[quarter] = corpus.git("rev-list", "-1", *before, "main").decode().strip()
    trees = {
        sha: corpus.git("rev-parse", f"{sha}:src/tensorkit").strip()
        for sha in {*ends.values(), *planted["sha"]}
    }
    for quarter, sha in planted.select("quarter", "sha").unique().iter_rows():
        assert trees[sha] == trees[ends[quarter]]


def test_the_planted_program_is_in_no_fix(corpus):
    linked = set(corpus.truth("fix_links")["sha"])
    paths = (
        "src/tensorkit/digits.py",
        "src/tensorkit/datasets",
        "src/tensorkit/digits_training.py",
    )
    shas = set(corpus.git("log", "--format=%H", "main", "--", *paths).decode().split())
    assert len(shas) == 4
    assert not shas & linked


def test_plants_the_keywords_and_the_first_months_of_the_study() -> None:
    assert keywords.KEYWORDS == constants.KEYWORDS
    assert generator.MONTHS_BEFORE_TREND == constants.MONTHS_BEFORE_TREND
