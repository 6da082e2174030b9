"""The command line and the report. This package may import every other one, and none imports it."""
