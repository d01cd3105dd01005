"""Questions of forums: of which kind they are, how hard, and how they go with bug reports."""
