"""Tests of `study/`."""
