with spans as (
    select
        loads.repository, min(month) || '-01' as first,
        max(month) filter (
            month <= coalesce(activity.last_series_month, month) or status = 'failed'
        ) || '-01' as last
    from meta.partition_loads as loads
    left join marts.activity as activity
        on activity.dataset = 'live' and activity.repository = loads.repository
    group by loads.repository
),
months as (
    select
        repository,
        strftime(
            unnest(generate_series(first::date, last::date, interval 1 month)), '%Y-%m'
        ) as month
    from spans
),
tables as (select distinct repository, "table" from meta.partition_loads)
select
    tables.repository, tables."table", months.month,
    case
        when loads.status = 'failed' and loads.is_stored then 'refused, older rows kept'
        when loads.status = 'failed' then 'refused, nothing stored'
        when loads.is_stored is distinct from true then 'not loaded'
        when audits.rows_set_aside > 0 then 'stored, rows set aside'
        when audits.broken_warning > 0 then 'passed with warnings'
        else 'passed'
    end as audit,
    loads.row_count as "rows",
    strftime(loads.loaded_at, '%Y-%m-%d %H:%M UTC') as loaded,
    replace(audits.outcome, '_', ' ') || '; ' || audits.rule_count || ' rules, '
        || audits.broken_critical || ' critical and ' || audits.broken_warning
        || ' other broken' as rules,
    coalesce(loads.message, 'none') as message
from tables
inner join months using (repository)
left join meta.partition_loads as loads using (repository, "table", month)
left join meta.audit_results as audits using (repository, "table", month)
order by tables.repository, tables."table", months.month
