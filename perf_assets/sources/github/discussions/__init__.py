"""Questions of GitHub Discussions: those of categories whose discussions can be answered."""
