select min(month) || ' to ' || max(month)
from meta.partition_loads
where is_stored and "table" in ('raw.issues', 'raw.questions')
