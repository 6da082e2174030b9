"""Training rows in memory, in files, or on a cluster."""
