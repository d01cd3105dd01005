"""Issues of a repository, whatever their host: what a source gives, and how it is opened."""
