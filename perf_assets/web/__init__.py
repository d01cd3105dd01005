"""Dagster's web server, for who sits at this machine and for nobody else."""
