-- What is said of each bug report that was judged: by each rater, and by all of them together under
-- the name consensus.

with

verdicts as (
    select * from staging.verdicts
),

reviewed as (
    select * from intermediate.reviewed_bugs
)

select
    dataset,
    repository,
    number,
    rater,
    verdict,
    is_performance,
    matched_labels,
    matched_keywords
from verdicts
union all
select
    dataset,
    repository,
    number,
    'consensus' as rater,
    verdict,
    is_performance,
    matched_labels,
    matched_keywords
from reviewed
