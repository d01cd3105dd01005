SELECT repository, question, failing_rows, example
FROM marts.integrity_checks
WHERE dataset = 'live' AND failing_rows > 0 AND question NOT IN
    ('fixes_before_their_bug', 'comments_before_their_issue', 'labels_without_an_event')
ORDER BY ALL
