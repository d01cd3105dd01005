"""The loopback GitHub Discussions: the part of GraphQL that is needed, of the site of a dump."""
