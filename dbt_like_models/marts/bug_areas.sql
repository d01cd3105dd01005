-- The areas of the code that each mined bug report is about, and its share in each. Of the sources that
-- say so the strongest decides alone: labels, which people of the project put on, then the files that
-- the fix changes, then the stack traces. Its labels, files or traces have equal shares. A bug report
-- that nothing says anything of is in the area unknown.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

evidence as (
    select
        *,
        case area_source when 'label' then 1 when 'fix' then 2 else 3 end as source_rank
    from intermediate.area_evidence
),

strongest as (
    select
        *,
        min(source_rank) over (partition by dataset, repository, number) as strongest_rank
    from evidence
),

counted as (
    select
        dataset,
        repository,
        number,
        area,
        min(case when source_rank = strongest_rank then area_source end) as area_source,
        count(case when source_rank = strongest_rank then evidence end) as evidence_count,
        min(case when source_rank = strongest_rank then evidence end) as evidence,
        list_sort(list(distinct area_source)) as area_sources
    from strongest
    group by dataset, repository, number, area
),

shared as (
    select
        *,
        cast(sum(evidence_count) over (partition by dataset, repository, number) as bigint)
            as all_evidence
    from counted
    where evidence_count > 0
),

areas as (
    select
        dataset,
        repository,
        number,
        bug_reports.month,
        coalesce(shared.area, 'unknown') as area,
        coalesce(shared.evidence_count / shared.all_evidence, 1) as share,
        shared.area_source,
        coalesce(shared.evidence_count, 0) as evidence_count,
        shared.evidence,
        coalesce(shared.area_sources, cast([] as varchar[])) as area_sources,
        bug_reports.is_performance
    from bug_reports
    left join shared using (dataset, repository, number)
)

select * from areas
