-- How often links of a kind are right. People cannot read every link, so a sample was read: of 696
-- links in the histories of 38 projects of the Denchmark data set (Kim, Kim and Lee, MSR 2021) one
-- reader said from report, comments and commit whether the commit is part of what was done to end
-- the reported problem. tests/benchmarks/link_verdicts.csv holds the verdicts, and
-- tests/benchmarks/link_calibration.py counts them again and shows that what half of the projects
-- predict holds in the other half.
--
-- What makes the difference is less where the number stands than what is said of it: closing_words
-- (fixes #12), mention (#12 alone), doubted_mention (either, with a doubt of
-- intermediate.link_warnings), plain_number (fix 12), merge_title (what a merge brought that names
-- the issue), comment (the pull request that a comment names). GitHub's own links cannot be read
-- offline. It closes issues by those same words, so closing_words stands for what closed an issue,
-- and closing_merge, what a merge with such words brought, for the pull requests that it relates.

with

counted(grade, read_links, right_links) as (
    values
    ('closing_words', 154, 152),
    ('mention', 115, 98),
    ('doubted_mention', 16, 8),
    ('plain_number', 78, 78),
    ('merge_title', 116, 111),
    ('closing_merge', 53, 52),
    ('comment', 217, 200)
),

-- The mean of what is known after the reading, where nothing was known before (Jeffreys): no
-- sample makes sure. Wilson's interval for 95 per cent: 1.959964 is the normal quantile, 3.841459
-- its square.
estimated as (
    select
        grade,
        cast(read_links as bigint) as read_links,
        cast(right_links as bigint) as right_links,
        (right_links + 0.5e0) / (read_links + 1) as confidence,
        (right_links + 3.841459e0 / 2) / (read_links + 3.841459e0) as centre,
        1.959964e0 * sqrt(
            right_links * (1e0 - right_links / cast(read_links as double)) + 3.841459e0 / 4
        ) / (read_links + 3.841459e0) as reach
    from counted
)

select
    grade,
    read_links,
    right_links,
    confidence,
    greatest(0e0, centre - reach) as confidence_low,
    least(1e0, centre + reach) as confidence_high
from estimated
