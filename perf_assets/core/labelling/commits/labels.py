"""Labels of commits: which are performance work, of which kind, and what says so."""

import re
from collections.abc import Iterable

import polars as pl

from perf_assets.core.labelling.classifier.model import Model, score
from perf_assets.core.labelling.commits.changes import changes_of
from perf_assets.core.labelling.commits.files import files_of_commits
from perf_assets.core.labelling.commits.titles import Title, read_title
from perf_assets.core.labelling.commits.words import COMMIT_WORDS, ELSEWHERE
from perf_assets.core.labelling.places import LONGEST_READ
from perf_assets.core.labelling.vocabulary import COUNTED_KINDS
from perf_assets.core.linking.pull_requests import History
from perf_assets.core.linking.revert_words import QUOTING, own_words
from perf_assets.schema import schema_of

TABLE = "labels.performance_commits"
OPTIMISATION, FIX, GUARD, NONE = "optimisation", "fix", "guard", "none"
DECISION = ("work", "strength", "signs", "probability")
LIKELY, ALONE, SURE = 0.5, 0.6, 0.75
"""From these probabilities on the classifier counts: beside words that say it, alone, and where
the title is about tests, tools or texts."""

_FOUND_BY = {
    name: re.compile(word.pattern)
    for name, word in COMMIT_WORDS.items()
    if word.alone and word.kind in COUNTED_KINDS
}
_ELSEWHERE = re.compile(COMMIT_WORDS[ELSEWHERE].pattern)
_FIXES = re.compile(
    r"\b(?:bugs?|hot-?fix|bug-?fix|fix(?:e[sd]|ing)?|regress\w*|restor\w+|leak\w*|slow[ -]?downs?"
    r"|slowness|too slow|oom|repair\w*|revert\w*|workaround|degrad\w+)\b"
)
_OF_BRANCH = re.compile(r"Merge (?:remote-tracking )?(?:branch|commit|tag)")
_UNKNOWN = (None, None)
# A gain that was measured, and the tables of asv and benchstat.
_MEASURED = re.compile(
    r"\b\d{1,6}(?:[.,]\d{1,6})?\s?(?:x|times|%|percent) (?:faster|quicker|speed[ -]?up"
    r"|less (?:time|memory)|fewer allocations)\b|\bbefore\s{1,20}after\s{1,20}ratio\b"
    r"|\bold (?:time/op|ns/op)\b|\bspeed[ -]?up of (?:about |around |roughly |~ ?)?\d"
)
_GUARDS = re.compile(
    r"\b(?:perf(?:ormance)?|speed|memory|leak\w*) (?:\w+ ){0,2}(?:test(?:s|ing)?|checks?|guards?)\b"
    r"|\b(?:tests?|checks?) (?:\w+ ){0,4}(?:perf(?:ormance)?|memory|leak\w*|quadratic)\b"
)


def performance_commits(
    commits: pl.DataFrame, files: pl.DataFrame, history: History, model: Model
) -> pl.DataFrame:
    """Return ``labels.performance_commits`` of a repository's default branch.

    Parameters
    ----------
    commits : columns repository, sha, message, month, branch (NULL on the default branch).
    files : columns sha, path: what the commits change.
    history : of the same commits.
    model : that of commits.
    """
    changes = changes_of(commits, history)
    whole = changes.filter(pl.col("landed_by").is_null())
    decided = whole.select(change_sha="sha").hstack(label_changes(whole, files, model))
    return (
        changes.with_columns(change_sha=pl.coalesce("landed_by", "sha"))
        .join(decided, on="change_sha", maintain_order="left")
        .join(commits.select("repository", "sha", "month"), on="sha", maintain_order="left")
        .with_columns(model_version=pl.lit(model.version))
        .select(schema_of(TABLE).names())
        .cast(schema_of(TABLE))
    )


def label_changes(
    changes: pl.DataFrame, files: pl.DataFrame | None, model: Model | None
) -> pl.DataFrame:
    """Return what each change is, by its words, by a model of commits, and by its files.

    Parameters
    ----------
    changes : columns sha, title, body.
    files : columns sha, path; None where they are not known.
    model : None for the words alone.

    Returns
    -------
    In the order of ``changes``: work, strength, signs, probability (0 without a model).
    """
    titles = [own_title(title) for title in changes["title"]]
    bodies = [own_words(body) for body in changes["body"]]
    probabilities, words = [0.0] * len(titles), [[""]] * len(titles)
    if model is not None:
        texts = texts_of(titles, bodies)
        scores = score(model, texts, explained=False)
        probabilities = scores.select(pl.sum_horizontal(COUNTED_KINDS)).to_series().to_list()
        # Of most changes nobody asks what decided.
        likely = [place for place, value in enumerate(probabilities) if value >= LIKELY]
        for place, pulls in zip(
            likely, score(model, texts[likely])["words"].to_list(), strict=True
        ):
            words[place] = pulls
    touched: dict[str, tuple[int, int]] = {}
    if files is not None:
        touched = {
            sha: (numbers[0], numbers[1]) for sha, *numbers in files_of_commits(files).iter_rows()
        }
    rows = [
        (
            *_decided(title, body, probability, pulls, touched.get(sha, _UNKNOWN)),
            probability,
        )
        for sha, title, body, probability, pulls in zip(
            changes["sha"], titles, bodies, probabilities, words, strict=True
        )
    ]
    schema = {name: schema_of(TABLE)[name] for name in DECISION}
    return pl.DataFrame(rows, schema=schema, orient="row")


def own_title(title: str) -> Title:
    """Return the title that was read, without what a revert quotes and the names of branches."""
    return read_title("" if QUOTING.match(title) or _OF_BRANCH.match(title) else title)


def texts_of(titles: Iterable[Title], bodies: Iterable[str]) -> pl.DataFrame:
    """Return what the classifier reads: title, with tags about performance in one wording, body."""
    read = [f"performance: {one.plain}" if one.is_tagged else one.plain for one in titles]
    texts = {"title": read, "body": list(bodies)}
    return pl.DataFrame(texts, schema={"title": pl.String, "body": pl.String})


def _decided(
    title: Title,
    body: str,
    probability: float,
    words: list[str],
    files: tuple[int | None, int | None],
) -> tuple[str, str | None, list[str]]:
    """Return work, strength and signs of a change.

    ``files`` of the product and of benchmarks that it touches are None where they are not known.
    """
    product, benchmarks = files
    plain = title.plain.casefold()
    found = [f"title: {name}" for name, pattern in _FOUND_BY.items() if pattern.search(plain)]
    if gain := _MEASURED.search(body[:LONGEST_READ].casefold()):
        found.append(f"text: {gain[0]}")
    if title.is_tagged:
        found.insert(0, f"tag: {title.tags}")
    if not product and _GUARDS.search(plain):
        return GUARD, "moderate", ["title: a test of performance"]
    is_elsewhere = title.is_elsewhere or _ELSEWHERE.search(plain) is not None
    by_words = bool(found) and not is_elsewhere
    needed = SURE if is_elsewhere else LIKELY if found else ALONE
    by_classifier = probability >= needed
    if title.is_benchmark or (benchmarks and not product):
        found.append(f"tag: {title.tags}" if title.is_benchmark else "files: benchmarks alone")
        return GUARD, "strong" if benchmarks else "moderate", found
    if title.is_elsewhere or product == 0 or not (by_words or by_classifier):
        return NONE, None, []
    if by_classifier:
        found.append("classifier: " + ", ".join(word for word in words if word.endswith("(+)")))
    work = FIX if _FIXES.search(f"{title.tags} {plain}".casefold()) else OPTIMISATION
    if by_words and by_classifier:
        return work, "strong", found
    return work, "moderate" if by_words else "weak", found
