-- Question: by which approaches were fixes found, and how far can each be trusted?
-- How to read: one line an approach: its links, those that count, and their confidence, the mean
-- probability that they are right. Beside it agreement, the share of them that the other kind of
-- evidence confirms here, with its 95 % interval; NULL where nothing could be compared. Agreement is
-- lower than confidence where a fix has commits that one kind alone knows.
-- Group: links
-- Words: approach, precision, commit

select
    repository,
    approach,
    count(*) as links,
    count(*) filter (where links.is_counted) as counted,
    count(distinct number) as issues,
    round(avg(links.confidence), 2) as confidence,
    round(quality.agreement, 2) as agreement,
    round(quality.agreement_low, 2) as agreement_low,
    round(quality.agreement_high, 2) as agreement_high
from marts.fix_link_confidence as links
left join marts.link_quality as quality using (dataset, repository, approach)
where dataset = 'live'
group by
    repository, approach, quality.agreement, quality.agreement_low, quality.agreement_high
order by repository, links desc, approach;
