{# A condition on the columns of a row holds; NULL passes, as in a CHECK. #}
{% test expression_is_true(model, expression) %}
select *
from {{ model }}
where not ({{ expression }})
{% endtest %}
