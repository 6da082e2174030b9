"""Tests of `symbolic/`."""
