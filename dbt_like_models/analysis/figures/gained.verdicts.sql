select repository, printf(
    'share of performance bugs among %s: %s in %s, %s in %s%s; %s',
    case series when 'open' then 'open bug reports' else 'fixed bugs' end,
    case
        when points_gained is null then first_counts
        else printf('%.2f %% [%.1f, %.1f] (%s)', first_percent, first_low, first_high, first_counts)
    end,
    first_month,
    case
        when points_gained is null then last_counts
        else printf('%.2f %% [%.1f, %.1f] (%s)', last_percent, last_low, last_high, last_counts)
    end,
    last_month,
    case
        when points_gained is null then ' (too few for a share)'
        else printf(', %+.2f points', points_gained)
    end,
    case
        when is_too_few then result
        else printf(
            'Cox-Stuart, one-sided: %d of %d pairs of months rise, %s%s', rising_pairs, n_pairs,
            p_text(p),
            coalesce(printf(
                '; with permuted labels, which have no trend, the test also shows a rise in '
                || '%.1f %% of cases',
                false_alarms_percent
            ), '')
        )
    end
)
from figure_rows
order by repository, series desc
