-- Shorthands of the queries of reports. No database has them: perf_assets/reports/sql_files.py
-- writes each call out as its expression, so that a query runs as it is shown.

-- A p-value in words.
create macro p_text(probability) as
    case
        when probability < 0.001 then 'p < 0.001'
        else coalesce(printf('p = %.3f', probability), 'not testable')
    end;

-- The limits of Wilson's interval at 95 %, in percent, of the share of `hits` in `whole` (above 0).
create macro wilson_low(hits, whole) as
    100 * greatest(
        0,
        (
            (1.0 * hits / whole) + 1.92 / whole
            - 1.96 * sqrt(
                (1.0 * hits / whole) * (1 - (1.0 * hits / whole)) / whole + 0.96 / whole / whole
            )
        ) / (1 + 3.84 / whole)
    );

create macro wilson_high(hits, whole) as
    100 * least(
        1,
        (
            (1.0 * hits / whole) + 1.92 / whole
            + 1.96 * sqrt(
                (1.0 * hits / whole) * (1 - (1.0 * hits / whole)) / whole + 0.96 / whole / whole
            )
        ) / (1 + 3.84 / whole)
    );

-- The place of a metric where several are listed.
create macro metric_order(metric) as
    list_position(
        ['fix_time_days', 'fix_size', 'hours_to_first_comment', 'comments', 'commentators'], metric
    );

-- A metric in words.
create macro metric_words(metric) as
    case metric
        when 'fix_time_days' then 'days until fixed'
        when 'fix_size' then 'lines changed by the fix'
        when 'hours_to_first_comment' then 'hours to the first comment'
        when 'commentators' then 'people who comment'
        else metric
    end;

-- Whether rows of a repository are listed: those of all repositories pooled are, if there are two.
create macro is_listed(repository, repositories) as
    (repository <> 'pooled' or repositories > 2);
