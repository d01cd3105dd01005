-- Question: by which approaches were fixes found, and how far can each be trusted?
-- How to read: one line an approach: its links, those that count, and the share of them that the other
-- kind of evidence confirms, with its 95 % interval; NULL where nothing could be compared.

select
    repository,
    approach,
    count(*) as links,
    count(*) filter (where links.is_counted) as counted,
    count(distinct number) as issues,
    round(quality.precision, 2) as precision,
    round(quality.precision_low, 2) as precision_low,
    round(quality.precision_high, 2) as precision_high
from marts.rated_links as links
left join marts.link_quality as quality using (dataset, repository, approach)
where dataset = 'live'
group by
    repository, approach, quality.precision, quality.precision_low, quality.precision_high
order by repository, links desc, approach;
