select topic, fact, value
from meta.about
where topic <> 'rows'
order by list_position(['database', 'study', 'rules', 'sources', 'software'], topic), fact
