-- Question: how many of the links that count are in doubt, and why?
-- How to read: one line a doubt, with the links that count and have it; a link may have several, and
-- one without any is told too. mean_confidence is the mean probability that they are right.
-- Group: links
-- Words: confidence, wrong

with

links as (
    select
        repository,
        number,
        sha,
        case when array_length(doubts) = 0 then ['none'] else doubts end as doubts,
        confidence
    from marts.fix_link_confidence
    where dataset = 'live' and is_counted
),

doubted as (
    select
        repository,
        number,
        sha,
        confidence,
        unnest(doubts) as doubt
    from links
)

select
    repository,
    doubted.doubt,
    count(distinct number || ' ' || sha) as links,
    count(distinct number) as bugs,
    round(avg(doubted.confidence), 2) as mean_confidence
from doubted
group by repository, doubted.doubt
order by repository, links desc, doubted.doubt;
