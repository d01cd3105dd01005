"""GitLab as a source of issues: gitlab.com, and GitLab on a host of one's own."""
