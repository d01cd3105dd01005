"""Questions of forums that run on Discourse, from its public JSON API."""
