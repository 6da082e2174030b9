"""Helpers for the unit tests."""
