"""What is studied: the study file, as written and as understood."""
