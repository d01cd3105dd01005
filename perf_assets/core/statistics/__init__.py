"""Statistics of samples, series, durations and raters."""
