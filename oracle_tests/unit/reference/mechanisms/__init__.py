"""Tests of `reference/`."""
