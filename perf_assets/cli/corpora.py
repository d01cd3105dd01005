"""Corpora: served as GitHub would, and generated with a planted truth."""

from pathlib import Path
from shlex import quote

import click

from perf_assets.base.processes import shutdown
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, friendly_errors


@click.command("mock-api")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--port", default=0, show_default=True, help="Port on 127.0.0.1; 0: any free one.")
@click.option(
    "--repository", metavar="OWNER/NAME", help="Its name, where the corpus does not tell."
)
@click.option("--discourse", is_flag=True, help="Serve the dump of a forum as Discourse would.")
@friendly_errors
def mock_api(directory: Path, port: int, repository: str | None, *, discourse: bool) -> None:
    """Serve a corpus DIRECTORY as GitHub would, on loopback, until interrupted.

    Prints its URL when ready. Give that as github_url in a study file, or to any GitHub client.
    The directory holds issues.jsonl[.gz], comments.jsonl[.gz] and, if there are any,
    events.jsonl[.gz] and pulls.jsonl[.gz]: GitHub's REST answers, one JSON object a line. Records
    that cannot be used are left out, and reported with their reason.

    A directory with the dump of a forum (Posts.xml) is served as Stack Exchange would, by the name
    of the directory as the site; its URL is the api_url of a study's forum. With --discourse it is
    served as a forum of Discourse.
    """
    shutdown.set_resume_hint(f"{directory} is no longer served")

    def announce(url: str) -> None:
        click.echo(f"{directory} is served at {url}")

    if (directory / "Posts.xml").is_file():
        if discourse:
            from perf_assets.stand_ins.discourse import server as discourse_server

            discourse_server.serve(directory, port, announce)
            return
        from perf_assets.stand_ins.stackexchange import server

        server.serve(directory, port, announce)
        return
    from perf_assets.stand_ins.github.server import serve

    serve(directory, port, repository, announce)


@click.command("generate-sample")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same corpus.")
@click.option("--issues", default=400, show_default=True, help="Number of issues.")
@click.option("--months", default=30, show_default=True, help="Number of months.")
@click.option("--commits", default=800, show_default=True, help="Number of commits.")
@click.option("--start", default="2020-01", show_default=True, help="First month, YYYY-MM.")
@click.option(
    "--repository", default="sample-lab/tensorkit", show_default=True, help="Its owner/name."
)
@click.option(
    "--workflow", metavar="NAME", help="Land fixes by pull requests: merge, squash or rebase."
)
@click.option(
    "--questions",
    default=280,
    show_default=True,
    help="Number of questions of users, in the dump of a forum; 0: no forum.",
)
@click.option(
    "--topics",
    default=0.3,
    show_default=True,
    help="Share of the usual commits on topic branches that are merged, 0 to 1.",
)
@friendly_errors
def generate_sample(  # noqa: PLR0913
    directory: Path,
    *,
    seed: int,
    issues: int,
    months: int,
    commits: int,
    start: str,
    repository: str,
    workflow: str | None,
    questions: int,
    topics: float,
) -> None:
    """Write a synthetic corpus with its git repository and its planted truth to DIRECTORY.

    Run it with: perf-assets run --study DIRECTORY/study.toml
    """
    from perf_assets.stand_ins.generator import generate

    shutdown.set_resume_hint(f"nothing was written to {directory}; run the same command again")
    with shown_progress(console):
        generate(
            directory,
            seed=seed,
            issues=issues,
            months=months,
            commits=commits,
            start=start,
            repository=repository,
            workflow=workflow,
            questions=questions,
            topics=topics,
            benchmarks=True,
        )
    shutdown.set_resume_hint(f"{directory} is written")
    click.echo(f"{directory}: {issues} issues and {commits} commits over {months} months")
    click.echo(f"Run it with: perf-assets run --study {quote(str(directory / 'study.toml'))}")


@click.group()
def stand_ins() -> None:
    """Serve corpora as GitHub, Stack Exchange and Discourse would, and generate them."""


stand_ins.add_command(mock_api)
stand_ins.add_command(generate_sample)
