"""Tests of `gate/`."""
