"""The top: the command line and the report. It imports everything, and nothing imports it."""
