select
    repository || ': ' || case question
        when 'comments_before_their_issue' then printf(
            '%d of %d comments are older than their issue (for example %s), because the issue '
            || 'was imported; the wait for them counts as 0 hours',
            failing_rows, row_count, example
        )
        else printf(
            '%d of %d changes of labels are inferred (for example %s), because GitHub reports no '
            || 'event when a label is renamed or deleted',
            failing_rows, row_count, example
        )
    end
from marts.integrity_checks
where
    dataset = 'live'
    and failing_rows > 0
    and question in ('comments_before_their_issue', 'labels_without_an_event')
order by repository, question
