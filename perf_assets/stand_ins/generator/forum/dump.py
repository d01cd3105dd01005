"""Writes a forum as Stack Exchange dumps it: four files of rows."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import quoteattr

from perf_assets.stand_ins.generator.forum.plan import Answer, Forum, Question

Row = Mapping[str, object]
# White space that an XML parser would turn into blanks.
KEPT = {"\r": "&#xD;", "\n": "&#xA;", "\t": "&#x9;"}
DUPLICATE, LINKED = 3, 1


def write_dump(forum: Forum, directory: Path) -> None:
    """Write Posts.xml, PostLinks.xml, PostHistory.xml and Comments.xml into ``directory``."""
    directory.mkdir(parents=True, exist_ok=True)
    _write(directory / "Posts.xml", "posts", _posts(forum))
    _write(directory / "PostLinks.xml", "postlinks", _links(forum))
    _write(directory / "PostHistory.xml", "posthistory", _history(forum))
    _write(directory / "Comments.xml", "comments", _comments(forum))


def moment_of(milliseconds: int) -> datetime:
    """Return the moment, so many milliseconds since 1970."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def row_of(values: Row) -> str:
    """Return a row as it stands in a dump; what is ``None`` is left out."""
    cells = (f"{name}={_quoted(str(value))}" for name, value in values.items() if value is not None)
    return f"  <row {' '.join(cells)} />"


def _quoted(value: str) -> str:
    return '"' + quoteattr("'" + value, {**KEPT, '"': "&quot;"})[2:-1] + '"'


def _write(path: Path, root: str, rows: Iterator[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f'\ufeff<?xml version="1.0" encoding="utf-8"?>\n<{root}>\n')
        for row in rows:
            file.write(row_of(row) + "\n")
        file.write(f"</{root}>")


def _posts(forum: Forum) -> Iterator[Row]:
    rows: list[tuple[int, Row]] = []
    for question in forum.questions:
        rows.append((question.number, _question(question)))
        rows += [
            (answer.number, _answer(question, answer))
            for answer in question.answers
            if not answer.is_deleted
        ]
    numbers = sorted(number for number, _ in rows)
    for index, (at, kind) in enumerate(sorted(forum.others)):
        # Between the numbers of questions and answers there is room.
        number = numbers[index * len(numbers) // len(forum.others)] + 1
        body = "<p>What the tag is about.</p>"
        wiki = {"Id": number, "PostTypeId": kind, "CreationDate": _time(at), "Score": 0}
        rows.append((number, {**wiki, "Body": body, "OwnerUserId": -1}))
    for _, row in sorted(rows, key=lambda pair: pair[0]):
        yield row


def _question(question: Question) -> Row:
    accepted = question.accepted
    # Older dumps write tags as <a><b>, newer ones as |a|b|.
    is_old = question.number % 2
    tags = (
        "".join(f"<{tag}>" for tag in question.tags) if is_old else f"|{'|'.join(question.tags)}|"
    )
    return {
        "Id": question.number,
        "PostTypeId": 1,
        "AcceptedAnswerId": accepted.number if accepted else None,
        "CreationDate": _time(question.at),
        "Score": question.score,
        "ViewCount": question.views,
        "Body": question.text.html,
        "OwnerUserId": question.owner,
        "OwnerDisplayName": question.name,
        "LastActivityDate": _time(question.touched),
        "Title": question.text.title,
        "Tags": tags,
        "AnswerCount": sum(not answer.is_deleted for answer in question.answers),
        "CommentCount": len(question.comments),
        "ClosedDate": _time(question.closed[0]) if question.closed else None,
    }


def _answer(question: Question, answer: Answer) -> Row:
    return {
        "Id": answer.number,
        "PostTypeId": 2,
        "ParentId": question.number,
        "CreationDate": _time(answer.at),
        "Score": answer.score,
        "Body": answer.body,
        "OwnerUserId": answer.owner,
        "OwnerDisplayName": answer.name,
        "LastActivityDate": _time(answer.at),
        "CommentCount": len(answer.comments),
    }


def _links(forum: Forum) -> Iterator[Row]:
    for question in forum.studied:
        if question.duplicate_of is not None:
            for kind in (LINKED, DUPLICATE):
                yield {
                    "Id": 10 * question.number + kind,
                    "CreationDate": _time(question.touched),
                    "PostId": question.number,
                    "RelatedPostId": question.duplicate_of.number,
                    "LinkTypeId": kind,
                }


def _history(forum: Forum) -> Iterator[Row]:
    for question in forum.questions:
        first = {"Id": 10 * question.number, "PostHistoryTypeId": 2, "PostId": question.number}
        yield {**first, "CreationDate": _time(question.at), "Text": question.text.plain}
        if question.closed is not None:
            at, code = question.closed
            last = {"Id": 10 * question.number + 1, "PostHistoryTypeId": 10}
            yield {
                **last,
                "PostId": question.number,
                "CreationDate": _time(at),
                "Comment": code,
                "Text": '{"Voters":[]}',
            }


def _comments(forum: Forum) -> Iterator[Row]:
    for question in forum.questions:
        there = [answer for answer in question.answers if not answer.is_deleted]
        posts: list[Question | Answer] = [question, *there]
        for post in posts:
            for comment in post.comments:
                yield {
                    "Id": comment.number,
                    "PostId": post.number,
                    "Score": 0,
                    "Text": comment.text,
                    "CreationDate": _time(comment.at),
                    "UserId": comment.owner,
                }


def _time(milliseconds: int) -> str:
    moment = moment_of(milliseconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}"
