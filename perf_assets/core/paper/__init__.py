"""What comes from the paper: its constants, its figures and their comparison."""
