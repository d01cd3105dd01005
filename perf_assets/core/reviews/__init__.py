"""What people's verdicts say of labels and raters."""
