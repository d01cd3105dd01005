-- By which methods the kinds of a forum's questions were decided.

select distinct
    forum,
    method
from labels.question_kinds
