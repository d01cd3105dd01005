"""The GitHub source: issues with their comments and events, over GraphQL through PyGithub."""
