"""The loopback Bugzilla: the calls of its REST API that read bugs, from corpora."""
