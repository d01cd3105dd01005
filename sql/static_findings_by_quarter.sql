-- Question: do performance problems that static checks find become more or fewer?
-- How to read: one line a quarter and rule; findings = those of the quarter before + came - went.
-- Findings whose line was rewritten, so that the problem stays, are counted apart; NULL where the
-- quarter before was not scanned by the same rules.
-- Group: static checks
-- Words: lint, linter, trend

select
    repository,
    quarter,
    rule,
    findings,
    new as came,
    gone as went,
    rewritten,
    files_scanned,
    round(per_1000_files, 1) as per_1000_files
from analysis.static_findings
order by repository, quarter, rule;
