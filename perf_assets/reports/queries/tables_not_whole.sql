select "table", outcome, reason from meta.derived_audits order by "table"
