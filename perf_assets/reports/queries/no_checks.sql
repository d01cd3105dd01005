select repository || printf(
    ': no static check applies, as none of %d Python files imports TensorFlow',
    arg_max(files, quarter)
)
from raw.scanned_trees
group by repository
having sum(len(rules)) = 0 and arg_max(files, quarter) > 0
order by repository
