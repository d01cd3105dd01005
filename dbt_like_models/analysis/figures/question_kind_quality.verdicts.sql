select forum, printf('kinds by %s, %s test: %s', method, replace(split, '_', ' '), result)
from analysis.question_kind_quality
where is_default and kind = 'macro'
order by forum, is_chosen desc, method, split
