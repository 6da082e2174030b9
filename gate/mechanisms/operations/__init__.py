"""The table of operations."""
