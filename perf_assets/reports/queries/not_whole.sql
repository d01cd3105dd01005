select
    case
        when outcome = 'not_available' then "table" || ' is not available: ' || reason
        else reason
    end
from meta.derived_audits
order by outcome, "table"
