select repository || printf(
    ': the static checks do not apply, because none of %s Python files imports TensorFlow',
    format('{:,}', arg_max(files, quarter))
)
from raw.scanned_trees
group by repository
having sum(len(rules)) = 0 and arg_max(files, quarter) > 0
order by repository
