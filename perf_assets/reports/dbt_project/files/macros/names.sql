{# The schema of a model as it is written: marts, and not main_marts. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}

{# The name of a table: that of its model without the schema before it. #}
{% macro generate_alias_name(custom_alias_name=none, node=none) -%}
    {{ custom_alias_name or node.name.split('__')[-1] }}
{%- endmacro %}
