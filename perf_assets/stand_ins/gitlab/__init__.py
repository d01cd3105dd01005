"""A GitLab on loopback: its REST API over corpora."""
