select
    forum, method, split, kind, n, support, f1 as estimate, f1_low as low, f1_high as high,
    "precision", recall
from analysis.question_kind_quality
where is_default
order by forum, is_chosen desc, method, split, kind
