"""The report: one HTML page with the results of all checks."""
