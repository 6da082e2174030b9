"""Implementations under test: parse their names, load them, run them, and call them over JSON lines."""
