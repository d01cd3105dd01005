select count(distinct (repository, number)) as "issues with a commit" from links.fix_links
