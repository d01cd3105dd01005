-- Question: are the performance bugs of each month about speed or memory, on GPU or CPU?
-- How to read: one line a month of opening, without any review. speed, memory and hang are the likeliest
-- kind of those that the classifier, too, takes for performance bugs; unclear are the others.
-- memory_words are those whose keywords name memory or a leak, gpu and cpu those that state the device.
-- root_causes_by_impact has what people judged.
-- Group: trend
-- Words: CUDA, device, leak, impact, hardware

with

kinds as (
    select
        repository,
        number,
        greatest(speed_probability, memory_probability, hang_probability) as likeliest,
        case likeliest
            when speed_probability then 'speed'
            when memory_probability then 'memory'
            else 'hang'
        end as kind
    from labels.performance_probabilities
    where is_performance
),

devices as (
    select
        repository,
        number,
        bool_or(environment_value = 'gpu') as is_on_gpu,
        bool_or(environment_value = 'cpu') as is_on_cpu
    from marts.bug_environments
    where environment_aspect = 'device'
    group by repository, number
)

select
    repository,
    bugs.month,
    count(*) as performance_bugs,
    count(*) filter (where kinds.kind = 'speed') as speed,
    count(*) filter (where kinds.kind = 'memory') as memory,
    count(*) filter (where kinds.kind = 'hang') as hang,
    count(*) filter (where kinds.kind is null) as unclear,
    count(*) filter (
        where regexp_matches(array_to_string(bugs.matched_keywords, ' '), 'memory|leak|oom')
    ) as memory_words,
    count(*) filter (where devices.is_on_gpu) as gpu,
    count(*) filter (where devices.is_on_cpu) as cpu
from staging.bug_reports as bugs
left join kinds using (repository, number)
left join devices using (repository, number)
where bugs.dataset = 'live' and bugs.is_performance
group by repository, bugs.month
order by repository, bugs.month;
