{# The whole of each text matches a regular expression; NULL passes. #}
{% test matches_pattern(model, column_name, pattern) %}
select *
from {{ model }}
where not regexp_full_match({{ column_name }}, '{{ pattern | replace("'", "''") }}')
{% endtest %}
