"""Bugzilla: the bugs of a product or a component, through the REST API of 5.0 and later."""
