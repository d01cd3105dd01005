"""The loopback Discourse: the pages of its API that are needed, of the site of a dump."""
