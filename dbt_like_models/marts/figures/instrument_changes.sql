select repository, month, instrument, name, begins, used_on, result
from marts.instrument_changes
order by repository, month desc, instrument, name
